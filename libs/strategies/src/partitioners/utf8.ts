const REPLACEMENT = 0x3f;

/** UTF-8 as Java's `String.getBytes(UTF_8)` writes it: half of a surrogate pair becomes a question mark. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let end = 0;
  for (let i = 0; i < text.length; i++) {
    let point = text.charCodeAt(i);
    if (point >= 0xd800 && point <= 0xdfff) {
      const whole = text.codePointAt(i)!;
      point = whole > 0xffff ? whole : REPLACEMENT;
      if (whole > 0xffff) i++;
    }
    if (point < 0x80) bytes[end++] = point;
    else {
      if (point < 0x800) bytes[end++] = 0xc0 | (point >> 6);
      else {
        if (point < 0x1_0000) bytes[end++] = 0xe0 | (point >> 12);
        else {
          bytes[end++] = 0xf0 | (point >> 18);
          bytes[end++] = 0x80 | ((point >> 12) & 0x3f);
        }
        bytes[end++] = 0x80 | ((point >> 6) & 0x3f);
      }
      bytes[end++] = 0x80 | (point & 0x3f);
    }
  }
  return bytes.subarray(0, end);
}

/** The text of UTF-8 bytes, or undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  let escaped = '';
  for (const byte of bytes) escaped += `%${byte.toString(16).padStart(2, '0')}`;
  try {
    return decodeURIComponent(escaped);
  } catch {
    return undefined;
  }
}
