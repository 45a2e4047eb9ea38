const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1a, 32 bit, as an unsigned integer. librdkafka and sarama read the same bits as signed ones. */
export function fnv1a(bytes: Uint8Array): number {
  let hash = OFFSET_BASIS;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes[i]!, PRIME);
  return hash >>> 0;
}
