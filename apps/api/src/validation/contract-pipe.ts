import { AllotError, type FieldError, invalidRequest } from '@allot/model';
import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, getMetadataStorage, validateSync } from 'class-validator';
import { nearestName } from './nearest-name.js';
import { isLimit } from './rules.js';

/**
 * Turns bodies, queries and GraphQL arguments into their contract class, or refuses them with every wrong field named.
 * NestJS has a ValidationPipe, but it deletes keys called `__proto__`, which can be a Kafka topic's name; this one refuses
 * such a key where a field is meant and leaves it alone where a topic is.
 */
@Injectable()
export class ContractPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || type === 'custom' || type === 'param' || !isContract(metatype)) return value;
    const plain = value ?? {};
    if (typeof plain !== 'object' || Array.isArray(plain) || Buffer.isBuffer(plain)) {
      throw invalidRequest('The body must be a JSON object.', [{ pointer: '', detail: 'must be a JSON object' }]);
    }
    return readContract(metatype, plain, type === 'query' ? 'parameter' : 'field');
  }
}

function isContract(metatype: Type<unknown>): boolean {
  return fieldsOf(metatype).length > 0;
}

function readContract(contract: Type<unknown>, plain: object, kind: 'field' | 'parameter'): unknown {
  // class-transformer skips these two keys, so a body that has them would seem to be fine.
  const skipped = ['__proto__', 'constructor'].filter((key) => Object.hasOwn(plain, key));
  const instance = plainToInstance(contract, plain, { exposeUnsetFields: false }) as object;
  const problems = validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    validationError: { target: true, value: false },
  });
  const root = kind === 'parameter' ? '' : '/';
  const errors: FieldError[] = skipped.map((key) => ({
    pointer: root + key,
    detail: `is not a ${kind} of this request`,
  }));
  const limits = flatten(problems, root, errors);
  if (errors.length === 0) return instance;
  const [first] = errors;
  const where = first!.pointer === '' ? 'The request' : first!.pointer;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  const message = `${where} ${first!.detail}${more}.`;
  // A request that is fine but for its size is understood, and refused for a limit.
  if (limits === errors.length) {
    throw new AllotError('LIMIT_EXCEEDED', message, { action: 'fix-request', errors });
  }
  throw invalidRequest(message, errors);
}

/** Appends one error a wrong field to `errors`; answers how many of them are about limits. */
function flatten(problems: readonly ValidationError[], path: string, errors: FieldError[]): number {
  let limits = 0;
  for (const { property, constraints = {}, children = [], target } of problems) {
    const pointer = path + property.replaceAll('~', '~0').replaceAll('/', '~1');
    for (const [rule, detail] of Object.entries(constraints)) {
      if (rule === 'whitelistValidation') errors.push({ pointer, detail: unknownField(property, target) });
      else {
        errors.push({ pointer, detail });
        if (isLimit(rule)) limits++;
      }
    }
    limits += flatten(children, `${pointer}/`, errors);
  }
  return limits;
}

function unknownField(name: string, target: object | undefined): string {
  const fields = target === undefined ? [] : fieldsOf(target.constructor);
  const near = nearestName(name, fields);
  if (near !== undefined) return `is unknown; did you mean ${near}?`;
  return fields.length === 0 ? 'is unknown' : `is unknown; known are ${fields.join(', ')}`;
}

const knownFields = new Map<unknown, readonly string[]>();

/** Names of the validated fields of a class, which are all it accepts. */
function fieldsOf(contract: object): readonly string[] {
  let fields = knownFields.get(contract);
  if (fields === undefined) {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type
    const metadata = getMetadataStorage().getTargetValidationMetadatas(contract as Function, '', false, false);
    fields = [...new Set(metadata.map(({ propertyName }) => propertyName))];
    knownFields.set(contract, fields);
  }
  return fields;
}
