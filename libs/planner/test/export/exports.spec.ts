import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvRecord, toCsv } from '../../src/export/csv.js';
import { markdownName, markdownTable, markdownText } from '../../src/export/markdown.js';
import { planOwners } from '../../src/export/plan-owners.js';
import { planToCsv } from '../../src/export/plan-to-csv.js';
import { planToMarkdown } from '../../src/export/plan-to-markdown.js';
import { planToJson } from '../../src/plan-to-json.js';
import { plan } from '../../src/plan.js';
import { readCsv } from '../support/read-csv.js';

const NASTY = [
  'a|b',
  'two\nlines',
  'say "hi"',
  '__proto__',
  '=1+2',
  "'quoted",
  '@sum',
  '-',
  ' padded ',
  '`tick`',
  '\\|',
];

const name = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }), fc.constantFrom(...NASTY));

describe('CSV', () => {
  it('is what RFC 4180 says, and no cell is a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.nat(), fc.option(name)), { minLength: 1 }), (rows) => {
        const text = toCsv(['name', 'number', 'owner'], rows);
        const [header, ...records] = readCsv(text);
        expect(header).toEqual(['name', 'number', 'owner']);
        const unguarded = records.map(([a, n, b]) => [
          a!.replace(/^'/, ''),
          Number(n),
          b === '' ? null : b!.replace(/^'/, ''),
        ]);
        expect(unguarded).toEqual(rows);
        for (const record of records) for (const cell of record) expect(cell).not.toMatch(/^[=+\-@\t\r\n＝＋－＠]/);
      }),
    );
  });

  it('guards what a spreadsheet would run, and nothing else', () => {
    expect(csvRecord(['=1+1', '+1', '-1', '@x', "'x", 'x=1', -1, null])).toBe("'=1+1,'+1,'-1,'@x,''x,x=1,-1,");
  });
});

describe('Markdown', () => {
  it('keeps every name in its cell', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(name, name), { minLength: 1 }), (rows) => {
        const table = markdownTable(
          ['a', 'b'],
          rows.map((cells) => cells.map(markdownName)),
        );
        const lines = table.split('\n');
        expect(lines).toHaveLength(rows.length + 2);
        for (const line of lines) expect(cellsOf(line)).toHaveLength(2);
      }),
    );
  });

  it('shows names as they are', () => {
    expect(markdownName('__proto__')).toBe('`__proto__`');
    expect(markdownName('a`b')).toBe('``a`b``');
    expect(markdownName('`')).toBe('`` ` ``');
    expect(markdownName('two\nlines')).toBe('`two\\nlines`');
    expect(markdownTable(['x'], [[markdownName('a|b')]])).toBe('| x |\n| --- |\n| `a\\|b` |');
  });

  it('escapes what Markdown and HTML would read in a sentence', () => {
    expect(markdownText('<b>*c1* __proto__ my_topic [x]\r\n')).toBe(
      '\\<b\\>\\*c1\\* \\_\\_proto\\_\\_ my_topic \\[x\\]\\\\r\\\\n',
    );
  });
});

describe('a plan', () => {
  const result = planToJson(
    plan({
      assignor: 'sticky',
      topics: [
        { name: '__proto__', partitions: 4 },
        { name: 'orders', partitions: 3 },
      ],
      members: NASTY.slice(0, 3).map((id) => ({ id, topics: ['__proto__', 'orders'] })),
      changes: [{ removeMembers: ['two\nlines'] }, { addMembers: ['=1+2'] }, { topic: 'orders', partitions: 5 }],
    }),
  );

  it('is whole as CSV: read again it gives the same assignments', () => {
    const [, ...records] = readCsv(planToCsv(result));
    const group = (column: 2 | 3) => {
      const owners = new Map<string, [string, number][]>();
      for (const [topic, partition, from, to] of records) {
        const owner = [from, to][column - 2]!.replace(/^'/, '');
        if (owner !== '') owners.set(owner, [...(owners.get(owner) ?? []), [topic!, Number(partition)]]);
      }
      return owners;
    };
    for (const [column, side] of [[2, result.current] as const, [3, result.target] as const]) {
      const expected = new Map(
        Object.keys(side).map((id) => [
          id,
          Object.keys(side[id]!).flatMap((topic) => side[id]![topic]!.map((p): [string, number] => [topic, p])),
        ]),
      );
      expect(new Map([...group(column)].sort())).toEqual(new Map([...expected].sort()));
    }
  });

  it('lists those that stay as well', () => {
    const owners = planOwners(result);
    expect(owners).toHaveLength(9);
    expect(owners.filter(({ from, to }) => from !== to)).toEqual(result.diff);
  });

  it('has a report with everything that a change request needs', () => {
    const report = planToMarkdown(result, { groupId: 'check|out\n# not a heading', planId: 'p-1', baseRevision: 7 });
    expect(report.match(/^#+ .*/gm)).toEqual([
      '# Change of consumer group check|out\\\\n# not a heading',
      '## Summary',
      '## Paused partitions',
      '## Warnings',
      '## Members',
      '## Partitions',
      '## Rollback',
    ]);
    expect(report).toContain('| Made on | revision 7 of the group |');
    expect(report).toContain(
      `| Skew (busiest less least busy) | ${result.stats.skewBefore.overall} before, ${result.stats.skew.overall} after |`,
    );
    expect(report).toContain('| **eager** | 1 | 7 | 21 |');
    expect(report).toContain('| `=1+2` joins | - |');
    expect(report).toContain('| `two\\nlines` leaves |');
    expect(report).toContain('- Start the members that were removed: `two\\nlines`.');
    expect(report).toContain('- Topic `orders` keeps its 5 partitions: Kafka topics do not shrink.');
  });

  it('says what a cut list leaves out', () => {
    const report = planToMarkdown(result, { mostRows: 2 });
    const rest = result.diff.length - 2;
    expect(report).toContain(`${rest} more of ${result.diff.length} are not listed here; the CSV of the plan has all.`);
  });

  it('without changes says so', () => {
    const same = plan({
      assignor: 'range',
      topics: [{ name: 't', partitions: 1 }],
      members: [{ id: 'c', topics: ['t'] }],
    });
    const report = planToMarkdown(planToJson(same));
    expect(report).toContain('No partition changes its owner.');
    expect(report).toContain('- Nothing changes, so there is nothing to undo.');
  });
});

/** The cells of a table's row as GitHub splits them: at bars without a backslash in front. */
function cellsOf(line: string): string[] {
  return line.slice(2, -2).split(/(?<!\\)\|/);
}
