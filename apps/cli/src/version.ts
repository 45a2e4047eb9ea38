import { createRequire } from 'node:module';

/** Of this command line, as in package.json (one folder above both src and dist). */
export const VERSION = (createRequire(import.meta.url)('../package.json') as { version: string }).version;
