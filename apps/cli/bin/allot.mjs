#!/usr/bin/env node
// What `allot` runs. In a checkout that was not built yet it builds once, so that `npm ci && npx allot` is all it takes.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = new URL('../dist/main.js', import.meta.url);
if (!existsSync(built)) {
  const { spawnSync } = await import('node:child_process');
  const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
  process.stderr.write('allot: building, this once ...\n');
  const { status } = spawnSync(process.execPath, [tsc, '-b', fileURLToPath(new URL('..', import.meta.url))], {
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) {
    process.stderr.write('allot: it could not be built. Run `npm ci && npm run build` and look at its messages.\n');
    process.exit(1);
  }
}
await import(built.href);
