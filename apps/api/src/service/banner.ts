import { relative } from 'node:path';
import { VERSION } from '../version.js';
import type { Service } from './start-service.js';

/** What the person who starts the service sees. `totalMs` counts from the start of the process. */
export function banner({ url, dataDir, times }: Service, totalMs: number): string {
  const took = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const database = times.find(([step]) => step === 'database')?.[1] ?? 0;
  const folder = dataDir === undefined ? undefined : relative(process.cwd(), dataDir);
  return [
    '',
    `  Allot ${VERSION} is ready after ${took(totalMs)} (${took(database)} of it PostgreSQL)`,
    '',
    `    API      ${url}/v1`,
    `    Docs     ${url}/docs`,
    `    GraphQL  ${url}/graphql`,
    dataDir === undefined
      ? '    Data     in the database that DATABASE_URL names'
      : `    Data     in ${folder === '' || folder!.startsWith('..') ? dataDir : folder} (embedded PostgreSQL)`,
    '',
    '  Ctrl+C stops it.',
    '',
  ].join('\n');
}
