import type { Type } from '@nestjs/common';
import { Field, InputType, Int, ObjectType, type ReturnTypeFunc } from '@nestjs/graphql';
import { AssignmentMap, Json } from './json.js';
import { SafeInt } from './safe-int.js';

/**
 * GraphQL types of contract classes that were described for OpenAPI: the descriptions are read, so that there is one class for both and
 * they cannot differ. What GraphQL cannot say (objects with keys of the user's choice, alternatives) becomes `JSON`, and an object of
 * topic to partitions `Assignment`; both are the same document in both interfaces.
 */
export function outputOf<T>(contract: Type<T>, fields: Readonly<Record<string, ReturnTypeFunc>> = {}): Type<T> {
  return derive(contract, 'output', contract.name, fields);
}

/** The same for what comes in; called `<contract>Input`. */
export function inputOf<T>(contract: Type<T>): Type<T> {
  return derive(contract, 'input', `${contract.name}Input`, {});
}

type Direction = 'input' | 'output';

/** Where @nestjs/swagger keeps what its decorators say; it has no public name for these keys. */
const PROPERTIES = 'swagger/apiModelPropertiesArray';
const PROPERTY = 'swagger/apiModelProperties';
const SCHEMA = 'swagger/apiSchema';
/** Where @nestjs/graphql marks a class that is a type already. */
const GRAPHQL_TYPE = 'graphql:class_type';

const derived = { input: new WeakSet<object>(), output: new WeakSet<object>() };

interface Described {
  readonly type?: unknown;
  readonly description?: string;
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly isArray?: boolean;
  readonly maximum?: number;
  readonly items?: Described;
  readonly oneOf?: unknown;
  readonly additionalProperties?: unknown;
}

function derive<T>(
  contract: Type<T>,
  direction: Direction,
  name: string,
  own: Readonly<Record<string, ReturnTypeFunc>>,
): Type<T> {
  if (derived[direction].has(contract)) return contract;
  derived[direction].add(contract);
  // Described for GraphQL already; a type of the answers may still have to become one of the requests.
  const isType = Reflect.getOwnMetadata(GRAPHQL_TYPE, contract) !== undefined;
  if (isType && direction === 'output') return contract;
  const [schema] = (Reflect.getOwnMetadata(SCHEMA, contract) ?? []) as { description?: string }[];
  const about = schema?.description === undefined ? {} : { description: schema.description };
  (direction === 'input' ? InputType(name, about) : ObjectType(name, about))(contract);
  const prototype = contract.prototype as object;
  const marked = (Reflect.getMetadata(PROPERTIES, prototype) ?? []) as string[];
  for (const key of new Set(marked.map((mark) => mark.slice(1)))) {
    const described = Reflect.getMetadata(PROPERTY, prototype, key) as Described;
    const { description, required = true, nullable = false } = described;
    const type = own[key] ?? fieldType(described, direction);
    if (isType) continue;
    const optional = !required || nullable;
    const field = { nullable: nullability(optional, mayBeNull(described.items)) };
    Field(type, { ...field, ...(description !== undefined && { description }) })(prototype, key);
  }
  return contract;
}

function nullability(optional: boolean, nullableEntries: boolean): boolean | 'items' | 'itemsAndList' {
  if (!nullableEntries) return optional;
  return optional ? 'itemsAndList' : 'items';
}

/** Whether entries of a list may be null. */
function mayBeNull(items: Described | undefined): boolean {
  if (items === undefined) return false;
  const { type, nullable = false, oneOf } = items;
  if (Array.isArray(oneOf)) return (oneOf as Described[]).some((alternative) => alternative.type === 'null');
  return nullable || (Array.isArray(type) && type.includes('null'));
}

function fieldType(described: Described, direction: Direction): ReturnTypeFunc {
  const { isArray = false } = described;
  const type = typeOf(described, direction);
  return isArray ? () => [type] as never : () => type as never;
}

/** A type, or a list of one. */
function typeOf(described: Described, direction: Direction): unknown {
  const { type, items, oneOf, maximum, additionalProperties } = described;
  if (oneOf !== undefined) return Json;
  if (Array.isArray(type))
    return type.length === 1
      ? typeOf({ ...described, type: type[0] }, direction)
      : typeOf({ ...described, type: type.find((word) => word !== 'null') }, direction);
  switch (type) {
    case 'string':
    case String:
      return String;
    case 'boolean':
    case Boolean:
      return Boolean;
    case 'number':
    case Number:
      return Number;
    case 'integer':
      return direction === 'input' && (maximum === undefined || maximum > 2 ** 31 - 1) ? SafeInt : Int;
    case 'array':
      return [items === undefined ? Json : typeOf(items, direction)];
    case 'object':
      return isAssignment(additionalProperties) ? AssignmentMap : Json;
    default:
      return classType(type, direction);
  }
}

function classType(type: unknown, direction: Direction): unknown {
  if (typeof type !== 'function' || type === Object || type === Array) return Json;
  if (type === Date) return Date;
  // Swagger's lazy types are functions of this name.
  const contract = type.name === 'type' ? (type as () => unknown)() : type;
  if (Array.isArray(contract)) return [classType(contract[0], direction)];
  if (contract === String || contract === Number || contract === Boolean) return contract;
  const nested = contract as Type<unknown>;
  return derive(nested, direction, direction === 'input' ? `${nested.name}Input` : nested.name, {});
}

function isAssignment(values: unknown): boolean {
  if (typeof values !== 'object' || values === null || !('type' in values) || !('items' in values)) return false;
  return values.type === 'array' && (values.items as Described).type === 'integer';
}
