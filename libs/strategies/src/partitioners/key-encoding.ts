import { invalidRequest } from '@allot/model';
import { encodeUtf8 } from './utf8.js';

/** How a key is given. `uuid` is text, since Kafka's UUIDSerializer writes the printed form. */
export type KeyEncoding = 'utf8' | 'hex' | 'base64' | 'int32' | 'int64' | 'float64' | 'uuid';

/** A key as it is given: text, or a number for the numeric encodings. */
export type KeyValue = string | number | bigint;

/**
 * The bytes of a key.
 *
 * - `utf8`: text, as StringSerializer writes it
 * - `hex`, `base64`: the bytes themselves, in either case, and with the standard alphabet and its padding
 * - `int32`, `int64`: big-endian two's complement, as IntegerSerializer and LongSerializer write it; integers beyond 2^53
 *   are given as a bigint or as decimal text
 * - `float64`: big-endian IEEE 754, as DoubleSerializer writes it; text is a decimal number, NaN, Infinity or -Infinity
 * - `uuid`: lower-case text of 36 characters, as UUIDSerializer writes it
 *
 * @throws AllotError INVALID_REQUEST for a value that has no such form
 */
export function encodeKey(encoding: KeyEncoding, value: KeyValue): Uint8Array {
  const encode = ENCODERS.get(encoding);
  if (encode !== undefined) return encode(value);
  throw invalidRequest(`There is no key encoding "${encoding}". Use one of: ${[...ENCODERS.keys()].join(', ')}.`);
}

/** All encodings, for listings. */
export function listKeyEncodings(): readonly KeyEncoding[] {
  return [...ENCODERS.keys()];
}

const ENCODERS = new Map<KeyEncoding, (value: KeyValue) => Uint8Array>([
  ['utf8', (value) => encodeUtf8(text(value, 'utf8'))],
  ['hex', (value) => fromHex(text(value, 'hex'))],
  ['base64', (value) => fromBase64(text(value, 'base64'))],
  ['int32', (value) => fromInteger(value, 32)],
  ['int64', (value) => fromInteger(value, 64)],
  ['float64', fromFloat64],
  ['uuid', (value) => fromUuid(text(value, 'uuid'))],
]);

function text(value: KeyValue, encoding: KeyEncoding): string {
  if (typeof value === 'string') return value;
  throw invalidRequest(`A key of encoding ${encoding} is given as text, not as the number ${value}.`);
}

function fromHex(hex: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/i.test(hex)) throw refuse(hex, 'hex', 'two hexadecimal digits a byte');
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16));
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function fromBase64(base64: string): Uint8Array {
  const digits = base64.replace(/={1,2}$/, '');
  const spare = digits.length % 4 === 0 ? 0 : 4 - (digits.length % 4);
  if (base64.length % 4 !== 0 || base64.length !== digits.length + spare || !/^[A-Za-z0-9+/]*$/.test(digits)) {
    throw refuse(base64, 'base64', 'the alphabet with + and /, padded with = to a multiple of four');
  }
  const bytes = new Uint8Array((digits.length * 3) >> 2);
  let bits = 0;
  for (let i = 0, end = 0; i < digits.length; i++) {
    bits = (bits << 6) | BASE64.indexOf(digits[i]!);
    if (i % 4 > 0) bytes[end++] = bits >> (6 - 2 * (i % 4));
  }
  // The last digit of an incomplete group has bits that belong to no byte; two texts would else mean the same bytes.
  if (spare > 0 && (bits & ((1 << (spare * 2)) - 1)) !== 0)
    throw refuse(base64, 'base64', 'no bits beyond the last byte');
  return bytes;
}

function fromInteger(value: KeyValue, bits: 32 | 64): Uint8Array {
  const integer = toBigInt(value);
  if (integer === undefined || BigInt.asIntN(bits, integer) !== integer) {
    const limit = bits === 32 ? '-2147483648 to 2147483647' : '-2^63 to 2^63 - 1, as text when it is beyond 2^53';
    throw refuse(String(value), `int${bits}`, `an integer from ${limit}`);
  }
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, integer);
  return bytes.subarray(8 - bits / 8);
}

/** An integer given as any of the three types; undefined when it is none, or may have lost digits. */
function toBigInt(value: KeyValue): bigint | undefined {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined;
}

function fromFloat64(value: KeyValue): Uint8Array {
  const number = typeof value === 'string' ? parseFloat64(value) : Number(value);
  if (typeof value === 'bigint' || number === undefined) throw refuse(String(value), 'float64', 'a number');
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  // Java writes one bit pattern for every NaN; JavaScript leaves it open.
  if (Number.isNaN(number)) view.setUint16(0, 0x7ff8);
  else view.setFloat64(0, number);
  return bytes;
}

function parseFloat64(value: string): number | undefined {
  if (/^(?:NaN|-?Infinity)$/.test(value)) return Number(value);
  return /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? Number(value) : undefined;
}

function fromUuid(uuid: string): Uint8Array {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(uuid)) {
    throw refuse(uuid, 'uuid', 'the 36 characters of the printed form');
  }
  return encodeUtf8(uuid.toLowerCase());
}

function refuse(value: string, encoding: KeyEncoding, form: string): Error {
  const shown = value.length > 40 ? `${value.slice(0, 40)}...` : value;
  return invalidRequest(`"${shown}" is not a key of encoding ${encoding}: give ${form}.`);
}
