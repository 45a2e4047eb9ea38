import type { FieldError } from '@allot/model';

/**
 * Reads untrusted JSON piece by piece and notes every fault with its JSON pointer, so that one answer names them all. A
 * method that finds a fault returns undefined, or an empty list; the caller looks at `errors` at the end.
 */
export class JsonReader {
  readonly errors: FieldError[] = [];

  fail(pointer: string, detail: string): undefined {
    // A body full of faults must not be answered by an even larger list of them.
    if (this.errors.length < 100) this.errors.push({ pointer, detail });
    return undefined;
  }

  /** An object with no other keys than these; a misspelt key would otherwise be ignored without a word. */
  object(value: unknown, pointer: string, keys: readonly string[]): Readonly<Record<string, unknown>> | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return this.fail(pointer, `Expected an object, not ${describe(value)}.`);
    }
    for (const key of Object.keys(value)) {
      if (!keys.includes(key))
        this.fail(`${pointer}/${escapePointer(key)}`, `Unknown field; there are: ${keys.join(', ')}.`);
    }
    return value as Record<string, unknown>;
  }

  text(value: unknown, pointer: string): string | undefined {
    if (typeof value !== 'string') return this.fail(pointer, `Expected text, not ${describe(value)}.`);
    if (value === '') return this.fail(pointer, 'Expected text that is not empty.');
    return value;
  }

  number(value: unknown, pointer: string): number | undefined {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    return this.fail(pointer, `Expected a number, not ${describe(value)}.`);
  }

  integer(value: unknown, pointer: string, least: number, most: number): number | undefined {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    return this.fail(pointer, `Expected a whole number from ${least} to ${most}, not ${describe(value)}.`);
  }

  list<T>(value: unknown, pointer: string, most: number, read: (item: unknown, pointer: string) => T | undefined): T[] {
    if (!Array.isArray(value)) {
      this.fail(pointer, `Expected a list, not ${describe(value)}.`);
      return [];
    }
    if (value.length > most) {
      this.fail(pointer, `The list has ${value.length} entries; at most ${most} are taken.`);
      return [];
    }
    const items: T[] = [];
    for (const [i, entry] of value.entries()) {
      const item = read(entry, `${pointer}/${i}`);
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  /** Subscriptions of large groups are half a million texts: a pointer is made for those that are wrong alone. */
  texts(value: unknown, pointer: string, most: number): string[] {
    const sound = (item: unknown) => typeof item === 'string' && item !== '';
    if (Array.isArray(value) && value.length <= most && value.every(sound)) return [...(value as string[])];
    return this.list(value, pointer, most, (item, at) => this.text(item, at));
  }
}

/** Applies `read` unless the field is absent; JSON null counts as a value and is refused by the readers. */
export function optional<T>(value: unknown, read: (value: unknown) => T | undefined): T | undefined {
  return value === undefined ? undefined : read(value);
}

/** A key as one step of a JSON pointer (RFC 6901). */
export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
