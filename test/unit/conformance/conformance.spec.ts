import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { checkFile, holds } from '../../conformance/conformance.js';

const KEY = '{"keyHex":"d878e51e","murmur2":722678264,"partitions":1000,"partition":264}';
const GROUP = '{"groupId":"orders","hashCode":-1008770331,"offsetsPartitions":50,"partition":31}';
const MEMBER = '"members":[{"id":"c1","topics":["__proto__"]}]';
const PROTO = `{"assignor":"range","topics":[{"name":"__proto__","partitions":1}],${MEMBER},"assignment":{"c1":{"__proto__":[0]}}}`;

describe('the conformance runner', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'conformance-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  async function check(content: string | Buffer, name = 'vectors.jsonl') {
    const path = join(directory, name);
    await writeFile(path, content);
    const report = await checkFile(path);
    return { ...report, holds: holds(report) };
  }

  it('counts what matches, in plain and compressed files, with blank lines and with or without a last newline', async () => {
    const matching = { total: 3, matched: 3, differences: [], problems: [], problemCount: 0, holds: true };
    expect(await check(`${KEY}\n\n${GROUP}\r\n${PROTO}`)).toEqual(matching);
    expect(await check(gzipSync(`${KEY}\n${GROUP}\n${PROTO}\n`), 'vectors.jsonl.gz')).toEqual(matching);
  });

  it('keeps the first three differences in full, with their lines', async () => {
    const wrong = KEY.replace('264}', '265}');
    const report = await check([KEY, wrong, wrong, wrong, wrong].join('\n'));
    expect(report).toMatchObject({ total: 5, matched: 1, holds: false });
    expect(report.differences.map(({ line }) => line)).toEqual([2, 3, 4]);
    expect(report.differences[0]).toMatchObject({
      expected: '{"murmur2":722678264,"partition":265}',
      got: '{"murmur2":722678264,"partition":264}',
    });
  });

  it('sees a member or a topic that only one of the answers has', async () => {
    const absent = PROTO.replace('"assignment":{', '"assignment":{"c2":{},');
    const report = await check(`${absent}\n${PROTO.replace(':[0]}}}', ':[0,1]}}}')}`);
    expect(report.differences.map(({ expected }) => expected)).toEqual([
      '{"c1":{"__proto__":[0]},"c2":{}}',
      '{"c1":{"__proto__":[0,1]}}',
    ]);
  });

  it('takes an error where Kafka answered for a difference', async () => {
    const report = await check(
      '{"placer":"modulo","brokers":[{"id":1}],"partitions":1,"replicationFactor":2,"replicas":{"0":[1,1]}}',
    );
    expect(report.differences[0]!.got).toMatch(/^error: Replication factor 2 is larger/);
  });

  it('learns from other lines, earlier or later, in which order a member got what it owns', async () => {
    const file = join(import.meta.dirname, '../../conformance/vectors/server-uniform.jsonl.gz');
    const lines = gunzipSync(await readFile(file))
      .toString()
      .split('\n')
      .slice(0, 250)
      .map((line) => line.trim());
    const complete = { total: 250, matched: 250, holds: true };
    expect(await check(lines.join('\n'))).toMatchObject(complete);
    expect(await check(lines.toReversed().join('\n'))).toMatchObject(complete);
    const interleaved = lines.map((_, i) => lines[(i * 101) % 250]!);
    expect(await check(interleaved.join('\n'))).toMatchObject(complete);
    // Alone, this line does not tell enough, and the report says so.
    const alone = await check(lines.find((line) => line.includes('server-uniform-00017'))!);
    expect(alone).toMatchObject({ total: 1, matched: 0, differences: [{ guessed: true }], holds: false });
  });

  it.each([
    ['not JSON', '{"keyHex":', /^line 2: not JSON/],
    ['not an object', '[1]', /^line 2: not a JSON object/],
    ['of no known kind', '{"answer":42}', /^line 2: unknown kind of vector/],
    ['of two kinds', '{"placer":"modulo","keyHex":""}', /^line 2: ambiguous kind of vector/],
    [
      'of an unknown placer',
      '{"placer":"dice","brokers":[],"partitions":1,"replicationFactor":1,"replicas":{}}',
      /dice/,
    ],
    ['of an unknown assignor', PROTO.replace('"range"', '"fair"'), /^line 2: .*"fair"/],
    ['without a field', '{"keyHex":"","murmur2":275646681,"partitions":1}', /required property 'partition'/],
    ['with half a byte', KEY.replace('d878e51e', 'd87'), /keyHex must match pattern/],
    ['with a count that is no number', KEY.replace('1000', '"1000"'), /partitions must be integer/],
  ])('reports a line that is %s', async (_, line, problem) => {
    const report = await check(`${KEY}\n${line}\n${GROUP}\n`);
    expect(report).toMatchObject({ total: 3, matched: 2, differences: [], problemCount: 1, holds: false });
    expect(report.problems[0]).toMatch(problem);
  });

  it('reports a file that is empty, missing, cut off or not text', async () => {
    expect(await check('\n\n')).toMatchObject({ total: 0, problems: ['holds no vectors'], holds: false });
    const missing = await checkFile(join(directory, 'missing.jsonl'));
    expect(missing.problems[0]).toMatch(/cannot be read: ENOENT/);
    expect(holds(missing)).toBe(false);
    const cut = await check(gzipSync(`${KEY}\n`).subarray(0, -6), 'cut.jsonl.gz');
    expect(cut.problems[0]).toMatch(/cannot be read: unexpected end of file/);
    expect(cut.holds).toBe(false);
    const binary = await check(Buffer.from([0x7b, 0xff, 0x7d, 0x0a]));
    expect(binary).toMatchObject({ problems: ['cannot be read: line 1 is not UTF-8 text'], holds: false });
  });
});
