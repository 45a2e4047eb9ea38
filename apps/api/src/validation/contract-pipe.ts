import { AllotError, type FieldError, invalidRequest } from '@allot/model';
import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { type ValidationError, getMetadataStorage, validateSync } from 'class-validator';
import { nearestName } from './nearest-name.js';
import { conversionOf, isLimit, nestedTypeOf, splitComplaint } from './rules.js';

/** Most wrong fields that are told, and most of a wrong key that is repeated: a large body must not make a larger answer. */
const MOST_ERRORS = 100;
const LONGEST_KEY = 255;

/**
 * Turns bodies, queries and GraphQL arguments into their contract class, or refuses them with every wrong field named.
 *
 * It does what NestJS's ValidationPipe and class-transformer do together, for two reasons: those drop or trip over keys such as
 * `__proto__` and `constructor`, which may be topics; and they copy every value, while here only fields of contract classes
 * are looked into and everything else is passed on as it was parsed.
 */
@Injectable()
export class ContractPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || type === 'custom' || type === 'param' || !isContract(metatype)) return value;
    const plain = value ?? {};
    if (!isObject(plain)) {
      throw invalidRequest('The body must be a JSON object.', [{ pointer: '', detail: 'must be a JSON object' }]);
    }
    return readContract(metatype, plain, type === 'query' ? '' : '/');
  }
}

/**
 * Reads one contract, for bodies that the pipe cannot tell the class of. `root` starts every pointer: `/` for fields of a body, nothing for names of parameters.
 * @throws AllotError INVALID_REQUEST or LIMIT_EXCEEDED with every wrong field, up to a hundred of them.
 */
export function readContract<T>(contract: Type<T>, plain: object, root: string): T {
  const errors: FieldError[] = [];
  findUnknown(contract, plain, root, errors);
  const unknown = new Set(errors.map(({ pointer }) => pointer));
  const instance = instantiate(contract, plain) as T & object;
  const problems = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
  });
  const limits = flatten(problems, root, unknown, errors);
  if (errors.length === 0) return instance;
  const [{ pointer, detail }] = errors as [FieldError];
  const atLeast = errors.length === MOST_ERRORS ? 'at least ' : '';
  const more = errors.length > 1 ? ` (and ${atLeast}${errors.length - 1} more, see errors)` : '';
  const message = `${pointer === '' ? 'The request' : pointer} ${detail}${more}.`;
  // A request that is fine but for its size is understood, and refused for a limit.
  if (limits === errors.length) throw new AllotError('LIMIT_EXCEEDED', message, { action: 'fix-request', errors });
  throw invalidRequest(message, errors);
}

/** An instance of `contract` with the known fields of `plain`; absent ones stay absent. */
function instantiate(contract: Type<unknown>, plain: object): object {
  const instance = new contract() as Record<string, unknown>;
  for (const field of fieldsOf(contract)) {
    if (Object.hasOwn(plain, field)) {
      const value = (plain as Record<string, unknown>)[field];
      const nested = nestedTypeOf(contract, field);
      instance[field] = nested === undefined ? conversionOf(contract, field)(value) : instantiateBelow(nested, value);
    } else if (instance[field] === undefined) delete instance[field];
  }
  return instance;
}

function instantiateBelow(contract: Type<unknown>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((entry) => instantiateBelow(contract, entry));
  return isObject(value) ? instantiate(contract, value) : value;
}

/**
 * Names every field that no rule is about. class-validator does the same, but not for keys that every object inherits
 * (`toString`), and it cannot see what was not copied.
 */
function findUnknown(contract: Type<unknown>, plain: object, path: string, errors: FieldError[]): void {
  const fields = fieldsOf(contract);
  for (const key of Object.keys(plain)) {
    if (errors.length === MOST_ERRORS) return;
    if (fields.includes(key)) {
      const nested = nestedTypeOf(contract, key);
      const value = (plain as Record<string, unknown>)[key];
      if (nested !== undefined) findUnknownBelow(nested, value, `${path}${escape(key)}`, errors);
      continue;
    }
    const near = nearestName(key, fields);
    const hint = near === undefined ? `; known are ${fields.join(', ')}` : `; did you mean ${near}?`;
    errors.push({ pointer: path + escape(key), detail: `is unknown${hint}` });
  }
}

function findUnknownBelow(contract: Type<unknown>, value: unknown, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && errors.length < MOST_ERRORS; i++) {
      findUnknownBelow(contract, value[i], `${path}/${i}`, errors);
    }
  } else if (isObject(value)) findUnknown(contract, value, `${path}/`, errors);
}

/** Appends one error a wrong field to `errors`; answers how many of them are about limits. */
function flatten(
  problems: readonly ValidationError[],
  path: string,
  unknown: ReadonlySet<string>,
  errors: FieldError[],
): number {
  let limits = 0;
  for (const { property, constraints = {}, children = [] } of problems) {
    const pointer = path + escape(property);
    for (const [rule, complaint] of Object.entries(constraints)) {
      if (unknown.has(pointer)) continue;
      if (errors.length === MOST_ERRORS) return limits;
      const { below, detail } = splitComplaint(complaint);
      errors.push({ pointer: pointer + below, detail });
      if (isLimit(rule)) limits++;
    }
    limits += flatten(children, `${pointer}/`, unknown, errors);
  }
  return limits;
}

function escape(key: string): string {
  if (key.length > LONGEST_KEY) return `${escape(key.slice(0, LONGEST_KEY))}…`;
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
}

function isContract(metatype: Type<unknown>): boolean {
  return fieldsOf(metatype).length > 0;
}

const knownFields = new Map<Type<unknown>, readonly string[]>();

/** Names of the fields of a class that have rules, which are all it accepts. */
function fieldsOf(contract: Type<unknown>): readonly string[] {
  let fields = knownFields.get(contract);
  if (fields === undefined) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(contract, '', false, false);
    fields = [...new Set(metadata.map(({ propertyName }) => propertyName))];
    knownFields.set(contract, fields);
  }
  return fields;
}
