/** The object without the keys that are undefined, which would otherwise hide a default when it is spread over it. */
export function compact<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}
