import { applyDecorators, HttpCode, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiExtraModels,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiResponse,
  getSchemaPath,
} from '@nestjs/swagger';
import { LIMITS } from '../config/limits.js';
import { Consumes, Produces } from '../http/media-types.js';
import { Idempotent } from '../idempotency/idempotent.js';
import { Deferrable } from '../operations/deferrable.js';
import { BackgroundOperation } from '../operations/operation.contract.js';
import { Problem } from '../problems/problem.js';
import { problemTypeOf, problemTypePath } from '../problems/problem-types.js';

export interface OperationOptions {
  /** operationId: camelCase, unique, what a generated client calls the method. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  /** Names in the path, from left to right: `['cluster', 'topic']`. */
  readonly path?: readonly PathParameter[];
  /** Status and contract of each success; no contract: no body, several: one of them. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Codes that this operation answers beside those that every operation can. */
  readonly problems?: readonly string[];
  /** Contract of the body, and an example of it. */
  readonly body?: { readonly type: Type<unknown>; readonly example: unknown; readonly required?: boolean };
  /** Says how If-Match is read: on updates it may, on destructive verbs it must be there. */
  readonly ifMatch?: 'optional' | 'required';
  /** Takes Idempotency-Key. */
  readonly idempotent?: boolean;
  /** May be answered with 202 when it takes longer than the client waits. */
  readonly deferrable?: boolean;
}

interface Answer {
  readonly description: string;
  readonly type?: Type<unknown> | readonly Type<unknown>[];
  readonly example?: unknown;
  /** Other than application/json. */
  readonly mediaTypes?: readonly string[];
}

type PathParameter = keyof typeof PATH_PARAMETERS;

const PATH_PARAMETERS = {
  cluster: { description: 'Name of the cluster, percent-encoded.', example: 'default', maxLength: LIMITS.nameLength },
  topic: { description: 'Name of the topic.', example: 'orders', maxLength: LIMITS.topicNameLength },
  group: { description: 'Id of the group, percent-encoded.', example: 'checkout', maxLength: LIMITS.nameLength },
  member: { description: 'Id of the member, percent-encoded.', example: 'c1', maxLength: LIMITS.nameLength },
  plan: { description: 'Id of the plan.', example: 'p1', maxLength: LIMITS.nameLength },
  operation: { description: 'Id of the operation.', example: 'o1', maxLength: LIMITS.nameLength },
  partitioner: { description: 'Name of the partitioner.', example: 'default', maxLength: LIMITS.nameLength },
  revision: { description: 'Revision of the group.', example: 1, maximum: Number.MAX_SAFE_INTEGER },
  to: { description: 'The other revision of the group.', example: 2, maximum: Number.MAX_SAFE_INTEGER },
  broker: { description: 'Id of the broker.', example: 1, maximum: LIMITS.brokerId },
} as const;

/** Problems that any operation may answer. */
const COMMON_PROBLEMS = ['INVALID_REQUEST', 'NOT_ACCEPTABLE', 'LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'STORE_UNAVAILABLE'];
const BODY_PROBLEMS = ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** Everything the OpenAPI document says of an operation, beside its parameters in the query. */
export function Operation(options: OperationOptions): MethodDecorator {
  const { id, summary, description, path = [], answers, body } = options;
  const successes = Object.entries(answers).map(([status, answer]) => success(Number(status), answer));
  return applyDecorators(
    ApiOperation({ operationId: id, summary, ...(description === undefined ? {} : { description }) }),
    ApiExtraModels(Problem),
    ...path.map(pathParameter),
    ...successes,
    ...problemResponses(codesOf(options)),
    ...(options.ifMatch === undefined ? [] : [ifMatchHeader(options.ifMatch)]),
    ...('304' in answers ? [ifNoneMatchHeader()] : []),
    ...(options.idempotent ? [Idempotent(), idempotencyHeader()] : []),
    ...(options.deferrable ? [Deferrable(), preferHeader(), success(202, DEFERRED)] : []),
    ...(body === undefined
      ? []
      : [
          ApiBody({ type: body.type, required: body.required ?? true, examples: { example: { value: body.example } } }),
        ]),
    ...(Object.keys(answers)[0] === '200' || Object.keys(answers).length > 1
      ? [HttpCode(200)]
      : [HttpCode(Number(Object.keys(answers)[0]))]),
    ...mediaTypesOf(answers),
  );
}

/** For an operation that also reads other media types than JSON. */
export function ReadsAlso(...types: readonly string[]): MethodDecorator {
  return applyDecorators(ApiConsumes('application/json', ...types), Consumes('application/json', ...types));
}

function mediaTypesOf(answers: Readonly<Record<number, Answer>>): MethodDecorator[] {
  const types = Object.values(answers).flatMap(({ mediaTypes = [] }) => mediaTypes);
  return types.length === 0 ? [] : [Produces('application/json', ...types)];
}

function codesOf({ problems = [], body, ifMatch, idempotent, deferrable, path = [] }: OperationOptions): string[] {
  return [
    ...COMMON_PROBLEMS,
    ...(path.length > 0 ? ['URI_TOO_LONG'] : []),
    ...(body === undefined ? [] : BODY_PROBLEMS),
    ...(ifMatch === undefined ? [] : ['STALE_REVISION']),
    ...(ifMatch === 'required' ? ['PRECONDITION_REQUIRED'] : []),
    ...(idempotent ? ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_IN_USE'] : []),
    ...(deferrable ? ['TOO_MANY_OPERATIONS', 'COMPUTING_BUSY'] : []),
    ...problems,
  ];
}

function pathParameter(name: PathParameter): MethodDecorator {
  const { description, example, ...limits } = PATH_PARAMETERS[name];
  const schema =
    'maximum' in limits ? { type: 'integer', minimum: 0, ...limits } : { type: 'string', minLength: 1, ...limits };
  return ApiParam({ name, description, example, schema } as never);
}

function success(status: number, { description, type, example, mediaTypes = [] }: Answer): MethodDecorator {
  if (type === undefined && mediaTypes.length === 0) return ApiResponse({ status, description });
  const types = type === undefined ? [] : [type].flat();
  const schemas = types.map((contract) => ({ $ref: getSchemaPath(contract) }));
  const json =
    types.length === 0
      ? {}
      : {
          'application/json': {
            schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas },
            ...(example === undefined ? {} : { example }),
          },
        };
  const others = Object.fromEntries(mediaTypes.map((media) => [media, { schema: { type: 'string' } }]));
  return applyDecorators(
    ApiExtraModels(...types),
    ApiResponse({ status, description, content: { ...json, ...others } } as never),
  );
}

/** One response a status, which lists its codes. */
function problemResponses(codes: readonly string[]): MethodDecorator[] {
  const byStatus = new Map<number, string[]>();
  for (const code of new Set(codes)) {
    const { status } = problemTypeOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].map(([status, ofStatus]) =>
    ApiResponse({
      status,
      description: ofStatus.map((code) => `\`${code}\`: ${problemTypeOf(code).meaning}`).join('\n\n'),
      content: {
        'application/problem+json': {
          schema: { $ref: getSchemaPath(Problem) },
          example: exampleOf(ofStatus[0]!),
        },
      },
    } as never),
  );
}

function exampleOf(code: string): Problem {
  const { status, title, meaning } = problemTypeOf(code);
  const action = status === 503 ? 'retry' : status === 412 || status === 409 ? 'refresh' : 'fix-request';
  return {
    type: problemTypePath(code),
    title,
    status,
    detail: meaning,
    instance: '/v1/clusters/default',
    code,
    retriable: status === 503,
    action,
    requestId: '5f0c6c1e-0c4b-4f1c-9a57-1d6f3b8f0f7e',
  };
}

function ifMatchHeader(rule: 'optional' | 'required'): MethodDecorator {
  return ApiHeader({
    name: 'If-Match',
    required: rule === 'required',
    description: 'The ETag that was read, such as `"7"`, or `*` for whatever revision is there.',
    schema: { type: 'string' },
    example: '*',
  });
}

function ifNoneMatchHeader(): MethodDecorator {
  return ApiHeader({
    name: 'If-None-Match',
    required: false,
    description: 'The ETag that was read; the answer is 304 while it is still that one.',
    schema: { type: 'string' },
    example: '"7"',
  });
}

const DEFERRED: Answer = {
  description:
    'It takes longer than you wait. `Location` is where the result will be; the work goes on, also when the service restarts.',
  type: BackgroundOperation,
};

function preferHeader(): MethodDecorator {
  return ApiHeader({
    name: 'Prefer',
    required: false,
    description:
      '`respond-async` for a 202 if the answer is not there at once, `wait=N` for how many seconds to wait for it (15 by default).',
    schema: { type: 'string' },
    example: 'wait=15',
  });
}

function idempotencyHeader(): MethodDecorator {
  return ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'The same key with the same request is answered from the first time, for 24 hours.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.nameLength },
  });
}
