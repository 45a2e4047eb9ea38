import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startReplicas, type Replica } from '../../apps/api/test/support/service.js';

/** The README is run as a reader would: every `sh` block in order, and the block after it is what it must answer. */

interface Example {
  readonly command: string;
  readonly expected: { readonly kind: string; readonly text: string } | undefined;
}

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
const examples = examplesOf(readme);
let replica: Replica;
let stop: () => Promise<void>;

beforeAll(async () => {
  const started = await startReplicas(1);
  replica = started.replicas[0]!;
  stop = started.stop;
});
afterAll(() => stop());

describe('the commands of the README', () => {
  it('are there', () => expect(examples.length).toBeGreaterThanOrEqual(10));

  it.each(
    examples.map((example, i) => [`${i + 1}: ${example.command.split('\n')[0]!.slice(0, 100)}`, example] as const),
  )('answers what it says: %s', async (_name, { command, expected }) => {
    const script = command.replaceAll('http://127.0.0.1:3000', replica.url);
    const { stdout } = await promisify(execFile)('bash', ['-ec', script]);
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
