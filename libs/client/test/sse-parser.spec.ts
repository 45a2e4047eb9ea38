import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SseParser, type ServerEvent } from '@allot/client';

function parse(...pieces: string[]): ServerEvent[] {
  const parser = new SseParser();
  return pieces.flatMap((piece) => [...parser.push(piece)]);
}

describe('text/event-stream', () => {
  it('S-07 reads events, their types, ids and lines', () => {
    const text = ': hello\nevent: change\nid: 7\ndata: {"a":\ndata: 1}\n\ndata:x\ndata\n\n';
    expect(parse(text)).toEqual([
      { type: 'change', data: '{"a":\n1}', id: '7' },
      { type: 'message', data: 'x\n', id: '7' },
    ]);
  });

  it('takes every end of line, also across pieces, and a BOM at the very start only', () => {
    const expected = [
      { type: 'a', data: '1', id: '' },
      { type: 'message', data: '2', id: '' },
    ];
    for (const eol of ['\n', '\r', '\r\n']) {
      expect(parse(['\uFEFFevent: a', 'data: 1', '', 'data: 2', '', ''].join(eol))).toEqual(expected);
    }
    expect(parse('event: a\r', '\ndata: 1\r', '\n', '\r', '\ndata: 2\n', '\n')).toEqual(expected);
    expect(parse('data: 1\r', '\n', '\n')).toEqual([{ type: 'message', data: '1', id: '' }]);
    expect(parse('\uFEFF', 'data: 1\n\n')).toHaveLength(1);
    expect(parse('data: 1\n\n\uFEFFdata: 2\n\n')).toHaveLength(1);
  });

  it('knows nothing of an event that was not finished, nor of its id', () => {
    const parser = new SseParser('3');
    expect([...parser.push('id: 4\ndata: 1')]).toEqual([]);
    expect([...new SseParser('3').push('id: 4\0\ndata: 1\n\n')]).toEqual([{ type: 'message', data: '1', id: '3' }]);
    expect(parse('event: x\n\ndata: 1\n\n')).toEqual([{ type: 'message', data: '1', id: '' }]);
    expect(parse('id: 9\n\n', 'data: 1\n\n')).toEqual([{ type: 'message', data: '1', id: '9' }]);
  });

  it('reads the same however the text is cut', () => {
    const line = fc.constantFrom(
      'data: a',
      'data:b',
      'data',
      'id: 1',
      'id',
      'event: e',
      ': c',
      '',
      'retry: 5',
      'x: y',
      ' ',
    );
    const eol = fc.constantFrom('\n', '\r', '\r\n');
    const text = fc.array(fc.tuple(line, eol)).map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (whole, cuts) => {
        const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length];
        const pieces = at.slice(1).map((end, i) => whole.slice(at[i], end));
        expect(parse(...pieces)).toEqual(parse(whole));
      }),
    );
  });
});
