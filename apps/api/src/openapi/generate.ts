import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createApp } from '../app.js';
import { readConfig } from '../config/config.js';
import { breakingChanges } from './breaking-changes.js';
import { inertPorts } from './inert-ports.js';
import { openApiDocument, problemsDocument, schemaDocument } from './api-documents.js';

/**
 * `npm run api:generate` writes the API's documents from the code; with `--check` it only says which ones differ, and what of the GraphQL
 * schema would break clients of the last release. With `--release` the schema becomes the one that clients rely on.
 */

const RELEASED = '../../schema.released.graphql';
const RELEASED_HEAD =
  '# The schema that clients of the last release rely on. `npm run api:generate -- --release` writes it, with a release and at no other time.';

const app = await createApp({ ports: inertPorts(), config: readConfig({ ALLOT_LOG_LEVEL: 'error' }) });
const schemaText = schemaDocument(app);
const documents = [
  { path: '../../openapi.json', text: `${JSON.stringify(openApiDocument(app), null, 2)}\n` },
  { path: '../../schema.graphql', text: schemaText },
  { path: '../../../../docs/problems.md', text: problemsDocument() },
];
await app.close();

const checking = process.argv.includes('--check');
const differing = documents.filter(({ path, text }) => readOrEmpty(path) !== text);
if (!checking) for (const { path, text } of differing) writeFileSync(locate(path), text);
const names = differing.map(({ path }) => path.replace(/^(\.\.\/)+/, '')).join(', ');
if (differing.length === 0) console.log('api: openapi.json, schema.graphql and problems.md are what the code says');
else if (checking) {
  console.error(`api: ${names} differ from the code; run \`npm run api:generate\` and commit the result`);
  process.exitCode = 1;
} else console.log(`api: wrote ${names}`);

if (process.argv.includes('--release')) writeFileSync(locate(RELEASED), schemaText.replace(/^#.*$/m, RELEASED_HEAD));
const broken = breakingChanges(readOrEmpty(RELEASED), schemaText);
if (broken.length > 0) {
  console.error(
    `api: the GraphQL schema breaks clients of the last release:\n${broken.map((it) => `  ${it}`).join('\n')}`,
  );
  process.exitCode = 1;
} else console.log('api: the GraphQL schema breaks no client of the last release');

function locate(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(locate(path), 'utf8');
  } catch {
    return '';
  }
}
