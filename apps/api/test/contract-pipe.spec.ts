import { AllotError } from '@allot/model';
import { describe, expect, it } from '@jest/globals';
import { ContractPipe } from '../src/validation/contract-pipe.js';
import { Absent, Integer, Name, Nested, NestedList, Quantities, ListOf, rule } from '../src/validation/rules.js';

class Inner {
  @Name()
  name!: string;
}

class Outer {
  @Integer(0, 10)
  count!: number;

  @Absent()
  @Nested(() => Inner)
  inner?: Inner;

  @Absent()
  @NestedList(() => Inner, 2, 'inners')
  inners?: Inner[];

  @Absent()
  @ListOf(3, 'numbers')
  @Quantities()
  weights?: number[];
}

const pipe = new ContractPipe();
const read = (json: string) => pipe.transform(JSON.parse(json), { type: 'body', metatype: Outer });

function errorsOf(json: string) {
  try {
    read(json);
  } catch (error) {
    if (error instanceof AllotError)
      return [error.code, ...error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`)];
  }
  throw new Error('was accepted');
}

describe('ContractPipe', () => {
  it('makes instances all the way down', () => {
    const outer = read('{"count": 3, "inner": {"name": "a"}, "inners": [{"name": "b"}], "weights": [0, 1.5]}') as Outer;
    expect(outer).toBeInstanceOf(Outer);
    expect(outer.inner).toBeInstanceOf(Inner);
    expect(outer.inners![0]).toBeInstanceOf(Inner);
    expect(outer).toEqual({ count: 3, inner: { name: 'a' }, inners: [{ name: 'b' }], weights: [0, 1.5] });
  });

  it('names every wrong field by its pointer', () => {
    expect(errorsOf('{"inner": {"nam": "a"}, "inners": [{"name": "b"}, {"name": ""}], "weights": [1, -1]}')).toEqual([
      'INVALID_REQUEST',
      '/inner/nam is unknown; did you mean name?',
      '/count must be a whole number from 0 to 10, not nothing',
      '/inner/name must be text, not nothing',
      '/inners/1/name must not be empty',
      '/weights/1 must be a number from 0 to 9007199254740991, not -1',
    ]);
  });

  it('finds keys that every object inherits, at every depth', () => {
    for (const key of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(errorsOf(`{"count": 1, "${key}": 1}`)).toEqual([
        'INVALID_REQUEST',
        expect.stringContaining(`/${key} is unknown`),
      ]);
      expect(errorsOf(`{"count": 1, "inners": [{"name": "a", "${key}": {"name": "b"}}]}`)).toEqual([
        'INVALID_REQUEST',
        expect.stringContaining(`/inners/0/${key} is unknown`),
      ]);
    }
  });

  it('passes maps on as they were parsed', () => {
    class WithMap {
      @Absent()
      @Nested(() => Inner)
      inner?: Inner;

      @rule({ name: 'map', complain: () => undefined })
      owned!: Record<string, unknown>;
    }
    const json = '{"owned": {"__proto__": [1], "constructor": [2], "toString": [3], "then": 4}}';
    const read = pipe.transform(JSON.parse(json), { type: 'body', metatype: WithMap }) as WithMap;
    expect(Object.entries(read.owned)).toEqual([
      ['__proto__', [1]],
      ['constructor', [2]],
      ['toString', [3]],
      ['then', 4],
    ]);
    expect(Object.keys(read)).toEqual(['owned']);
  });

  it('refuses what is no object', () => {
    expect(errorsOf('{"count": 1, "inner": [1], "inners": {}}')).toEqual([
      'INVALID_REQUEST',
      '/inner must be an object, not a list',
      '/inners must be a list of inners, not an object',
    ]);
    expect(errorsOf('{"count": 1, "inners": [null, "x"]}')).toEqual([
      'INVALID_REQUEST',
      '/inners/0 must be an object, not null',
    ]);
  });

  it('tells a limit from a mistake', () => {
    expect(errorsOf('{"count": 11}')).toEqual(['LIMIT_EXCEEDED', '/count must be a whole number from 0 to 10, not 11']);
    expect(errorsOf('{"count": 1, "weights": [1, 2, 3, 4]}')).toEqual([
      'LIMIT_EXCEEDED',
      '/weights must have at most 3 numbers, not 4',
    ]);
    expect(errorsOf('{"count": 11, "x": 1}')[0]).toBe('INVALID_REQUEST');
  });

  it('tells a hundred wrong fields and repeats no endless key, however large the body', () => {
    const keys = Array.from({ length: 1_000 }, (_, i) => `"k${i}": 1`).join();
    const inners = Array.from({ length: 1_000 }, () => '{"name": "", "nam": 1}').join();
    for (const body of [`{${keys}}`, `{"count": 1, "inners": [${inners}]}`, `{"inner": {${keys}}}`]) {
      expect(errorsOf(body)).toHaveLength(101);
    }
    const longest = Math.max(...errorsOf(`{"count": 1, "${'x'.repeat(1_000_000)}": 1}`).map(({ length }) => length));
    expect(longest).toBeLessThan(400);
  });
});
