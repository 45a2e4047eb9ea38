import { Field, HideField, Int, type ReturnTypeFunc } from '@nestjs/graphql';
import { ApiHideProperty, ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { SafeInt } from '../graphql/safe-int.js';

/**
 * One line a field describes it for OpenAPI and for GraphQL, so that a contract class serves both and they cannot differ.
 * The validation of fields that come in is a separate matter: see `validation/rules.ts`.
 */
export interface FieldOptions {
  /** The field may be absent. */
  readonly optional?: boolean;
  readonly example?: unknown;
  /** Entries of the list may be null. */
  readonly nullableEntries?: boolean;
  /** Leave the field out of one of the two interfaces. */
  readonly only?: 'rest' | 'graphql';
}

type Schema = Record<string, unknown>;

function describe(
  description: string,
  { optional = false, nullableEntries = false, example, only }: FieldOptions,
  schema: Schema,
  type: ReturnTypeFunc,
): PropertyDecorator {
  const rest =
    only === 'graphql'
      ? ApiHideProperty()
      : ApiProperty({
          description,
          required: !optional,
          ...swaggerForm(schema),
          ...(example === undefined ? {} : { example }),
        } as ApiPropertyOptions);
  const mayBeNull = optional || (Array.isArray(schema['type']) && schema['type'].includes('null'));
  const graphql =
    only === 'rest' ? HideField() : Field(type, { description, nullable: nullability(mayBeNull, nullableEntries) });
  return (target, key) => {
    rest(target, key);
    graphql(target, key);
  };
}

/** Swagger reads a list of types at the top as a list of classes; it makes that form itself of `nullable`. */
function swaggerForm(schema: Schema): Schema {
  const { type } = schema;
  if (!Array.isArray(type) || type.length !== 2 || type[1] !== 'null') return schema;
  return { ...schema, type: type[0] as unknown, nullable: true };
}

function nullability(optional: boolean, nullableEntries: boolean): boolean | 'items' | 'itemsAndList' {
  if (!nullableEntries) return optional;
  return optional ? 'itemsAndList' : 'items';
}

export function TextField(description: string, options: FieldOptions & { enum?: readonly string[] } = {}) {
  const values = options.enum === undefined ? {} : { examples: options.enum };
  return describe(description, options, { type: 'string', ...values }, () => String);
}

export function FlagField(description: string, options: FieldOptions = {}) {
  return describe(description, options, { type: 'boolean' }, () => Boolean);
}

/** A count or an id of at most 32 bits. */
export function IntField(description: string, options: FieldOptions & { min?: number; max?: number } = {}) {
  const { min = 0, max = 2 ** 31 - 1 } = options;
  return describe(description, options, { type: 'integer', minimum: min, maximum: max }, () => Int);
}

/** A whole number that may need more than 32 bits: a revision, a number of milliseconds. */
export function SafeIntField(description: string, options: FieldOptions & { min?: number } = {}) {
  return describe(description, options, { type: 'integer', minimum: options.min ?? 0 }, () => SafeInt);
}

export function NumberField(description: string, options: FieldOptions & { min?: number } = {}) {
  const minimum = options.min === undefined ? {} : { minimum: options.min };
  return describe(description, options, { type: 'number', ...minimum }, () => Number);
}

/** A moment; ISO 8601 in UTC on the wire. */
export function TimeField(description: string, options: FieldOptions = {}) {
  const example = options.example ?? '2026-01-31T12:00:00.000Z';
  return describe(description, { ...options, example }, { type: 'string', format: 'date-time' }, () => Date);
}

/** Another contract class. */
export function ObjectField(type: () => object, description: string, options: FieldOptions = {}) {
  // Swagger takes only functions called `type` for lazy ones.
  return describe(description, options, { type: () => type() }, type as ReturnTypeFunc);
}

/** A list of another contract class. */
export function ListField(type: () => object, description: string, options: FieldOptions = {}) {
  return describe(description, options, { type: () => type(), isArray: true }, () => [type()] as never);
}

/** A list of text. */
export function TextListField(description: string, options: FieldOptions = {}) {
  return describe(description, options, { type: 'array', items: { type: 'string' } }, () => [String]);
}

/** A list of whole numbers. */
export function IntListField(description: string, options: FieldOptions = {}) {
  return describe(description, options, { type: 'array', items: { type: 'integer' } }, () => [Int]);
}

/** Anything that JSON Schema and GraphQL can say, when none of the above fits. */
export function SchemaField(
  description: string,
  schema: Schema,
  graphqlType: ReturnTypeFunc,
  options: FieldOptions = {},
) {
  return describe(description, options, schema, graphqlType);
}
