import { Transform } from 'class-transformer';
import { IsIn, IsOptional, ValidateBy, ValidateIf, type ValidationArguments } from 'class-validator';
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

function rule({ name, complain }: Rule): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value: unknown) => complain(value) === undefined,
      defaultMessage: (args?: ValidationArguments) => complain(args?.value) ?? '',
    },
  });
}

function both(...decorators: readonly PropertyDecorator[]): PropertyDecorator {
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

/** A finite number from `min` on. */
export function Quantity(min: number, max = Number.MAX_SAFE_INTEGER): PropertyDecorator {
  return rule({
    name: 'quantity',
    complain: (value) =>
      typeof value === 'number' && value >= min && value <= max
        ? undefined
        : `must be a number from ${min} to ${max}, not ${show(value)}`,
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

// eslint-disable-next-line no-control-regex
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

/** A whole number in a query string. */
export function QueryInteger(min: number, max: number): PropertyDecorator {
  return both(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
    ),
    Integer(min, max),
  );
}

/** `true` or `false` in a query string. */
export function QueryFlag(): PropertyDecorator {
  return both(
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    Flag(),
  );
}

/** A value in an error message: short, and quoted if it is text. */
function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
