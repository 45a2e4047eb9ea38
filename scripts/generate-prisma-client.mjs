// Generates the Prisma client. `prisma generate` insists on a schema engine binary that it never runs for this, and
// downloads one where none is named; naming any executable keeps the install offline and fast. Runs after an install, and with
// `--if-stale` before builds and tests, since an install with `--ignore-scripts` or a pull leaves no client or an old one.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const schema = join(root, 'prisma/schema.prisma');
const client = join(root, 'libs/persistence/src/generated/client.ts');

const ifStale = process.argv.includes('--if-stale');
if (ifStale && existsSync(client) && statSync(client).mtimeMs >= statSync(schema).mtimeMs) {
  process.exit(0);
}

let cli;
try {
  cli = require.resolve('prisma/build/index.js', { paths: [root] });
} catch {
  if (ifStale) {
    console.error('The packages that building and testing take are not installed; run `npm ci` first.');
    process.exit(1);
  }
  // A production install (`npm ci --omit=dev`) has no Prisma CLI and takes the client from the built output.
  if (!existsSync(join(root, 'libs/persistence/dist'))) {
    console.warn('prisma is not installed, so its client was not generated; run `npm ci` without --omit=dev to build.');
  }
  process.exit(0);
}

const result = spawnSync(process.execPath, [cli, 'generate', '--schema', schema], {
  cwd: root,
  env: {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
  },
  encoding: 'utf8',
});
if (result.status !== 0) {
  console.error(result.stdout, result.stderr, result.error ?? '');
  console.error('Generating the Prisma client failed; the lines above say why.');
  process.exit(1);
}
