import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Replica } from '../../apps/api/test/support/service.js';
import { runBash } from '../support/command-line.js';

/** These documents are run as a reader would: every `sh` block in order, and the block after it is what it must answer. */
const DOCUMENTS = [
  { path: 'README.md', least: 10 },
  { path: 'docs/planning.md', least: 7 },
  { path: 'docs/worker-protocol.md', least: 9 },
  { path: 'docs/cli.md', least: 11 },
  { path: 'docs/classic-groups.md', least: 15 },
];

interface Example {
  readonly command: string;
  readonly expected: { readonly kind: string; readonly text: string } | undefined;
}

const documents = await Promise.all(
  DOCUMENTS.map(async ({ path, least }) => {
    const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
    return [path, examplesOf(text), least] as const;
  }),
);

describe.each(documents)('the commands of %s', (_path, examples, least) => {
  let replica: Replica;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const started = await startReplicas(1);
    replica = started.replicas[0]!;
    stop = started.stop;
  });
  afterAll(() => stop());

  it('are there', () => expect(examples.length).toBeGreaterThanOrEqual(least));

  it.each(
    examples.map((example, i) => [`${i + 1}: ${example.command.split('\n')[0]!.slice(0, 100)}`, example] as const),
  )('answers what it says: %s', async (_name, { command, expected }) => {
    const script = command.replaceAll('http://127.0.0.1:3000', replica.url);
    const { code, out: stdout, err } = await runBash(`set -e\n${script}`);
    expect([code, code === 0 ? '' : err]).toEqual([0, '']);
    if (expected === undefined) return;
    if (expected.kind === 'json') expect(lastJson(stdout)).toMatchObject(JSON.parse(expected.text));
    else expect(stdout).toContain(expected.text);
  });
});

function examplesOf(markdown: string): Example[] {
  const blocks = [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({
    kind: kind!,
    text: text!,
  }));
  return blocks.flatMap(({ kind, text }, i) => {
    const next = blocks[i + 1];
    const expected = next !== undefined && next.kind !== 'sh' && next.kind !== 'console' ? next : undefined;
    return kind === 'sh' ? [{ command: text, expected }] : [];
  });
}

/** The last of several JSON documents that commands printed one after the other, without anything between. */
function lastJson(text: string): unknown {
  const start = text.lastIndexOf('}{');
  return JSON.parse(start === -1 ? text : text.slice(start + 1));
}
