import { VERSION } from './version.js';

process.stdout.write(`allot ${VERSION}\n`);
