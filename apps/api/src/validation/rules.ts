import type { Type as NestType } from '@nestjs/common';
import { IsIn, IsOptional, ValidateBy, ValidateIf, ValidateNested, type ValidationArguments } from 'class-validator';
import { LIMITS } from '../config/limits.js';

/** Rules whose failure means "too much", as opposed to "wrong". Their names start so. */
const LIMIT_PREFIX = 'limit:';

export function isLimit(rule: string): boolean {
  return rule.startsWith(LIMIT_PREFIX);
}

interface Rule {
  readonly name: string;
  /** Undefined when the value is fine. */
  readonly complain: (value: unknown) => string | undefined;
}

const INSIDE = '\u0000';

/** A complaint about something inside the value: `pointer` goes on from the field, as in `/3/0`. */
export function inside(pointer: string, complaint: string): string {
  return `${pointer}${INSIDE}${complaint}`;
}

/** Where a complaint points below its field, and what it says. */
export function splitComplaint(complaint: string): { readonly below: string; readonly detail: string } {
  const end = complaint.indexOf(INSIDE);
  return end === -1
    ? { below: '', detail: complaint }
    : { below: complaint.slice(0, end), detail: complaint.slice(end + 1) };
}

/** A rule of one's own. A name that starts with `limit:` means "too much" instead of "wrong". */
export function rule({ name, complain }: Rule): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => complain(value) === undefined,
      defaultMessage: (args?: ValidationArguments) => complain(args?.value) ?? '',
    },
  });
}

/** Several rules as one. */
export function both(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, key) => {
    for (const decorate of decorators) decorate(target, key);
  };
}

/** May be absent, but not null: what is absent stays as it is, and null is nobody's number. */
export function Absent(): PropertyDecorator {
  return ValidateIf((_object, value) => value !== undefined);
}

/** May be absent or null. */
export const Nullable = IsOptional;

/** A JSON number without a fraction; text such as "10" is refused. `max` is a limit of the service. */
export function Integer(min: number, max: number): PropertyDecorator {
  const range = `must be a whole number from ${min} to ${max}`;
  return both(
    rule({
      name: 'integer',
      complain: (value) =>
        typeof value === 'number' && Number.isSafeInteger(value) && value >= min
          ? undefined
          : `${range}, not ${show(value)}`,
    }),
    rule({
      name: `${LIMIT_PREFIX}integer`,
      complain: (value) =>
        typeof value === 'number' && Number.isSafeInteger(value) && value > max ? `${range}, not ${value}` : undefined,
    }),
  );
}

/** What is wrong with a whole number; undefined when nothing is. */
export function complainAboutInteger(value: unknown, min: number, max: number): string | undefined {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max) return undefined;
  return `must be a whole number from ${min} to ${max}, not ${show(value)}`;
}

/** A number from 0 on. */
export function Quantity(): PropertyDecorator {
  return rule({ name: 'quantity', complain: complainAboutQuantity });
}

function complainAboutQuantity(value: unknown): string | undefined {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
    ? undefined
    : `must be a number from 0 to ${Number.MAX_SAFE_INTEGER}, not ${show(value)}`;
}

/** A list whose every entry passes. */
export function Each(name: string, complain: (value: unknown) => string | undefined): PropertyDecorator {
  return rule({ name: `each:${name}`, complain: (value) => complainAboutEach(value, complain) });
}

/** The first entry of a list that something is wrong with; lists themselves are the business of `ListOf`. */
export function complainAboutEach(
  value: unknown,
  complain: (entry: unknown) => string | undefined,
): string | undefined {
  if (!Array.isArray(value)) return undefined;
  for (const [index, entry] of value.entries()) {
    const complaint = complain(entry);
    if (complaint === undefined) continue;
    const { below, detail } = splitComplaint(complaint);
    return inside(`/${index}${below}`, detail);
  }
  return undefined;
}

/** A list of numbers from 0 on. */
export function Quantities(): PropertyDecorator {
  return Each('quantity', complainAboutQuantity);
}

/** Text of a certain form. */
export function Pattern(pattern: RegExp, complaint: string): PropertyDecorator {
  return rule({
    name: 'pattern',
    complain: (value) =>
      typeof value === 'string' && pattern.test(value) ? undefined : `${complaint}, not ${show(value)}`,
  });
}

/** Text of 1 to `max` characters without control characters, as names and ids are. */
export function Name(max: number = LIMITS.nameLength): PropertyDecorator {
  return both(
    rule({ name: 'name', complain: (value) => complainAboutName(value) }),
    rule({
      name: `${LIMIT_PREFIX}name`,
      complain: (value) =>
        typeof value === 'string' && value.length > max
          ? `must have at most ${max} characters, not ${value.length}`
          : undefined,
    }),
  );
}

const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** What is wrong with a name or id, apart from its length; undefined when nothing is. */
export function complainAboutName(value: unknown): string | undefined {
  if (typeof value !== 'string') return `must be text, not ${show(value)}`;
  if (value === '') return 'must not be empty';
  if (CONTROL_CHARACTERS.test(value)) return 'must not contain control characters or line breaks';
  // A lone surrogate is no character and cannot be stored.
  if (/\p{Surrogate}/u.test(value)) return 'must be valid Unicode';
  return undefined;
}

/** Free text, kept in logs and histories. */
export function FreeText(max: number): PropertyDecorator {
  return both(
    rule({
      name: 'freeText',
      complain: (value) =>
        typeof value === 'string' && !value.includes('\u0000') && !/\p{Surrogate}/u.test(value)
          ? undefined
          : 'must be text without NUL',
    }),
    rule({
      name: `${LIMIT_PREFIX}freeText`,
      complain: (value) =>
        typeof value === 'string' && value.length > max ? `must have at most ${max} characters` : undefined,
    }),
  );
}

/** true or false; text is refused. */
export function Flag(): PropertyDecorator {
  return rule({
    name: 'flag',
    complain: (value) => (typeof value === 'boolean' ? undefined : `must be true or false, not ${show(value)}`),
  });
}

/** One of some words. */
export function OneOf(words: readonly string[]): PropertyDecorator {
  return IsIn([...words], { message: ({ value }) => `must be one of ${words.join(', ')}, not ${show(value)}` });
}

/** A list of at most `max` entries. */
export function ListOf(max: number, what: string, min = 0): PropertyDecorator {
  return both(
    rule({
      name: 'list',
      complain: (value) =>
        !Array.isArray(value)
          ? `must be a list of ${what}, not ${show(value)}`
          : value.length < min
            ? `must have at least ${min} ${what}`
            : undefined,
    }),
    rule({
      name: `${LIMIT_PREFIX}list`,
      complain: (value) =>
        Array.isArray(value) && value.length > max
          ? `must have at most ${max} ${what}, not ${value.length}`
          : undefined,
    }),
  );
}

/** What a field's class has in store for one of its fields, found through the classes it extends. */
class FieldRegistry<T> {
  readonly #byPrototype = new Map<object, Map<string, T>>();

  add(prototype: object, field: string, value: T): void {
    const fields = this.#byPrototype.get(prototype) ?? new Map<string, T>();
    this.#byPrototype.set(prototype, fields.set(field, value));
  }

  find(contract: NestType<unknown>, field: string): T | undefined {
    for (let at = contract.prototype as object | null; at !== null; at = Object.getPrototypeOf(at) as object | null) {
      const value = this.#byPrototype.get(at)?.get(field);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}

type Conversion = (value: unknown) => unknown;

const nestedTypes = new FieldRegistry<() => NestType<unknown>>();
const conversions = new FieldRegistry<Conversion>();

/** The contract class behind a field that `Nested` or `NestedList` decorates. */
export function nestedTypeOf(contract: NestType<unknown>, field: string): NestType<unknown> | undefined {
  return nestedTypes.find(contract, field)?.();
}

/** What is done with a field's value before its rules see it. */
export function conversionOf(contract: NestType<unknown>, field: string): Conversion {
  return conversions.find(contract, field) ?? ((value) => value);
}

/** Reads a value of a query string; what it cannot read it must leave as it is, for the rules to refuse. */
export function Convert(conversion: Conversion): PropertyDecorator {
  return (target, key) => conversions.add(target, String(key), conversion);
}

/** An object of another contract class. */
export function Nested(type: () => NestType<unknown>): PropertyDecorator {
  const isObject = rule({
    name: 'object',
    complain: (value) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? undefined
        : `must be an object, not ${show(value)}`,
  });
  return both(isObject, nest(type));
}

/** A list of at most `max` objects of another contract class. */
export function NestedList(type: () => NestType<unknown>, max: number, what: string, min = 0): PropertyDecorator {
  const areObjects = Each('object', (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : `must be an object, not ${show(value)}`,
  );
  return both(ListOf(max, what, min), areObjects, nest(type));
}

function nest(type: () => NestType<unknown>): PropertyDecorator {
  return both((target, key) => nestedTypes.add(target, String(key), type), ValidateNested());
}

/** A whole number in a query string. */
export function QueryInteger(min: number, max: number): PropertyDecorator {
  return both(
    Convert((value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value)),
    Integer(min, max),
  );
}

/** `true` or `false` in a query string. */
export function QueryFlag(): PropertyDecorator {
  return both(
    Convert((value) => (value === 'true' ? true : value === 'false' ? false : value)),
    Flag(),
  );
}

/** A value in an error message: short, and quoted if it is text. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
