import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { allot } from './fake-terminal.js';

const runs = { numRuns: Number(process.env['ALLOT_PROPERTY_RUNS'] ?? 150) };
const RECORDED = new URL('../../../libs/interop/test/fixtures/recorded/', import.meta.url);
const lines = ['3.7.2', '3.9.0', '4.4.0'].flatMap((version) =>
  ['topics', 'offsets', 'members-verbose', 'state', 'reassign-generate'].flatMap((name) =>
    readFileSync(new URL(`${version}/${name}.txt`, RECORDED), 'utf8').split('\n'),
  ),
);

/** Lines of real outputs, some cut, joined, repeated or replaced by anything, in any order. */
const line = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...lines) },
  { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...lines), fc.nat(120)).map(([text, at]) => text.slice(0, at)) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...lines), fc.constantFrom(...lines)).map((both) => both.join('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
);
/** Runs of lines that belong together, so that much of it can be read. */
const piece = fc.oneof(
  fc.array(line, { maxLength: 6 }),
  fc.tuple(fc.nat(lines.length - 1), fc.integer({ min: 1, max: 60 })).map(([at, count]) => lines.slice(at, at + count)),
);
const text = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.flat().join('\n'));

const COMMANDS = [
  ['plan', '--group', 'billing', '--add-members', '1', '-o', 'csv'],
  ['plan', '--add-members', '2', '-o', 'markdown'],
  ['compare', '--group', 'shipping', '--assignors', 'range,sticky,uniform'],
  ['simulate', '--group', 'billing', '--rolling-restart', '1', '--crash', '1'],
  ['explain', '--group', 'billing', '--partition', 'orders-3'],
  ['right-size', '--group', 'spare', '--up-to', '5'],
  ['import', '--lines'],
  ['place', '--add-broker', '2'],
];

it('S-05 damaged pastes are answered or refused, never a fault', async () => {
  const answered = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...COMMANDS), text, async (argv, input) => {
      const { code, out, err } = await allot(argv, { input });
      expect([0, 1, 2]).toContain(code);
      expect(err).not.toContain('INTERNAL_ERROR');
      expect(out + err).not.toMatch(/\bundefined\b|\bNaN\b|\[object /);
      if (code !== 1) answered.add(argv[0]!);
      else expect(err).toMatch(/^(?:note:|warning:|error:)/);
    }),
    runs,
  );
  expect(answered.size).toBeGreaterThanOrEqual(4);
});
