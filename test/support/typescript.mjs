// `node --import ./test/support/typescript.mjs FILE.ts` runs TypeScript from source, workspaces included, without a build:
// for the few programs outside Jest (the test database, the schema check).
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
