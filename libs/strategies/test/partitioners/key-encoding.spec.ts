import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { encodeKey, listKeyEncodings } from '../../src/partitioners/key-encoding.js';
import type { KeyEncoding, KeyValue } from '../../src/partitioners/key-encoding.js';
import { decodeUtf8 } from '../../src/partitioners/utf8.js';

const hex = (encoding: KeyEncoding, value: KeyValue) => Buffer.from(encodeKey(encoding, value)).toString('hex');

describe('keys as Kafka serializers write them', () => {
  it.each<[KeyEncoding, KeyValue, string]>([
    ['utf8', '', ''],
    ['utf8', 'aé€😀', '61c3a9e282acf09f9880'],
    ['utf8', 'a\ud800b', '613f62'],
    ['utf8', '\udc00', '3f'],
    ['hex', 'D878e51E', 'd878e51e'],
    ['base64', '', ''],
    ['base64', '/w==', 'ff'],
    ['base64', '+/8=', 'fbff'],
    ['base64', '2HjlHg==', 'd878e51e'],
    ['int32', 1, '00000001'],
    ['int32', -2147483648, '80000000'],
    ['int32', '2147483647', '7fffffff'],
    ['int64', 1, '0000000000000001'],
    ['int64', -1, 'ffffffffffffffff'],
    ['int64', '-9223372036854775808', '8000000000000000'],
    ['int64', 9223372036854775807n, '7fffffffffffffff'],
    ['float64', 1, '3ff0000000000000'],
    ['float64', '-0.0', '8000000000000000'],
    ['float64', '1e-3', '3f50624dd2f1a9fc'],
    ['float64', Number.NaN, '7ff8000000000000'],
    ['float64', 'NaN', '7ff8000000000000'],
    ['float64', '-Infinity', 'fff0000000000000'],
    [
      'uuid',
      'FD7AF248-ce5c-46a5-93d7-1c0c9005b99d',
      Buffer.from('fd7af248-ce5c-46a5-93d7-1c0c9005b99d').toString('hex'),
    ],
  ])('%s %p is %s', (encoding, value, bytes) => {
    expect(hex(encoding, value)).toBe(bytes);
  });

  it.each<[KeyEncoding, KeyValue]>([
    ['utf8', 5],
    ['hex', 'abc'],
    ['hex', 'zz'],
    ['base64', '/w'],
    ['base64', '/w='],
    ['base64', '/x=='],
    ['base64', '/w==='],
    ['base64', '===='],
    ['base64', 'A==='],
    ['base64', '_w=='],
    ['int32', 2147483648],
    ['int32', '-2147483649'],
    ['int32', 1.5],
    ['int32', ' 1'],
    ['int32', '1e3'],
    ['int32', ''],
    ['int64', 2 ** 53],
    ['int64', 9223372036854775808n],
    ['int64', '99999999999999999999'],
    ['float64', 'one'],
    ['float64', ''],
    ['float64', '0x10'],
    ['float64', 5n],
    ['uuid', 'fd7af248ce5c46a593d71c0c9005b99d'],
    ['uuid', ''],
    ['int16' as KeyEncoding, 5],
  ])('%s %p is refused', (encoding, value) => {
    expect(() => encodeKey(encoding, value)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
  });

  it('F-08 text and bytes agree with the platform, whatever their length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const bytes = Buffer.from(text.replaceAll(/\p{Surrogate}/gu, '?').replaceAll('\ufffd', '?'), 'utf8');
        expect(hex('utf8', text.replaceAll('\ufffd', '?'))).toBe(bytes.toString('hex'));
        expect(decodeUtf8(bytes)).toBe(bytes.toString('utf8'));
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(hex('hex', buffer.toString('hex'))).toBe(buffer.toString('hex'));
        expect(hex('base64', buffer.toString('base64'))).toBe(buffer.toString('hex'));
        const decoded = decodeUtf8(bytes);
        if (decoded !== undefined) expect(Buffer.from(decoded, 'utf8').equals(buffer)).toBe(true);
      }),
    );
  });

  it('lists its encodings', () => {
    expect(listKeyEncodings()).toEqual(['utf8', 'hex', 'base64', 'int32', 'int64', 'float64', 'uuid']);
  });
});
