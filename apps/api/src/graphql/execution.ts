import { AllotError } from '@allot/model';
import { Injectable } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  NoSchemaIntrospectionCustomRule,
  createSourceEventStream,
  execute,
  getOperationAST,
  specifiedRules,
  validate,
} from 'graphql';
import { Admission, type OperationRequest } from './admission.js';
import { formatGraphQLError, isFault } from './graphql-errors.js';
import type { EventSource } from './live-source.js';
import { type Caller, RequestContext } from './request-context.js';

/** What is sent to a client: a result whose errors have the form that every transport sends. */
export type FormattedResult = Omit<ExecutionResult, 'errors'> & { readonly errors?: readonly GraphQLFormattedError[] };

/** The results of a subscription. */
export type ResultStream = EventSource<ExecutionResult>;

const MOST_VALIDATED = 200;

/**
 * Runs operations that do not come through Apollo: those on WebSockets and event streams. The same door, the same validation, the same
 * form of errors. Each event of a subscription gets a context, and so loaders, of its own.
 */
@Injectable()
export class GraphQLExecution {
  /** Texts that passed, the newest last: thousands of clients send the same one. */
  readonly #validated = new Map<string, DocumentNode>();

  constructor(
    private readonly host: GraphQLSchemaHost,
    private readonly admission: Admission,
    private readonly introspection: boolean,
  ) {}

  /** What to run, or why it cannot be run. */
  prepare(body: unknown, caller: Caller): ExecutionArgs | readonly [GraphQLError, ...GraphQLError[]] {
    try {
      const { request, document } = this.admission.admit(body);
      if (document === undefined) throw persistedQueryNotFound();
      const { schema } = this.host;
      const errors = this.#validate(request.query!, document);
      if (errors.length > 0) return errors as readonly GraphQLError[] as [GraphQLError, ...GraphQLError[]];
      const { operationName, variables } = request;
      if (!getOperationAST(document, operationName)) throw unknownOperation(request);
      return {
        schema,
        document,
        ...(operationName !== undefined && { operationName }),
        ...(variables !== undefined && { variableValues: variables }),
        contextValue: new RequestContext(caller),
      };
    } catch (error) {
      return [asGraphQLError(error)];
    }
  }

  /** Runs what was prepared. A subscription answers an iterator whose `return` takes effect at once. */
  async run(args: ExecutionArgs): Promise<ExecutionResult | ResultStream> {
    if (getOperationAST(args.document, args.operationName)?.operation !== 'subscription') return execute(args);
    const events = await createSourceEventStream(args);
    if (!(Symbol.asyncIterator in events)) return events;
    return resultsOf(events as EventSource<unknown>, args);
  }

  format(result: ExecutionResult, { req }: RequestContext): FormattedResult {
    const { errors, ...rest } = result;
    return errors === undefined ? rest : { ...rest, errors: this.formatErrors(errors, req) };
  }

  formatErrors(errors: readonly GraphQLError[], caller: Caller): GraphQLFormattedError[] {
    return errors.map((error) => {
      if (isFault(error)) caller.log.error({ err: error.originalError ?? error }, 'a resolver failed');
      return formatGraphQLError(error.toJSON(), error);
    });
  }

  #validate(text: string, document: DocumentNode): readonly GraphQLError[] {
    if (this.#validated.has(text)) return [];
    const rules = this.introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
    const errors = validate(this.host.schema, document, rules, { maxErrors: 10 });
    if (errors.length > 0) {
      return errors.map((error) => new GraphQLError(error.message, { ...error, extensions: VALIDATION_FAILED }));
    }
    if (this.#validated.size === MOST_VALIDATED) this.#validated.delete(this.#validated.keys().next().value!);
    this.#validated.set(text, document);
    return [];
  }
}

const VALIDATION_FAILED = { code: 'GRAPHQL_VALIDATION_FAILED' };

/** The results of a subscription. What breaks off the source is told as a last result, so that it ends this subscription alone. */
function resultsOf(events: EventSource<unknown>, args: ExecutionArgs): ResultStream {
  const { req } = args.contextValue as RequestContext;
  let broken = false;
  const results: ResultStream = {
    next: async () => {
      if (broken) return { done: true, value: undefined };
      try {
        const event = await events.next();
        if (event.done === true) return event;
        const contextValue = new RequestContext(req);
        return { done: false, value: await execute({ ...args, rootValue: event.value, contextValue }) };
      } catch (error) {
        broken = true;
        return { done: false, value: { errors: [asGraphQLError(error)] } };
      }
    },
    return: async () => {
      await events.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => results,
  };
  return results;
}

export function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) {
    const { code = 'GRAPHQL_PARSE_FAILED', ...rest } = error.extensions;
    if (error.originalError !== undefined) return error;
    return new GraphQLError(error.message, { ...error, extensions: { code, ...rest } });
  }
  const original = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(original.message, { originalError: original });
}

function unknownOperation({ operationName }: OperationRequest): AllotError {
  const message =
    operationName === undefined || operationName === null
      ? 'The query has several operations; say by `operationName` which one to run.'
      : `The query has no operation ${operationName}.`;
  return new AllotError('INVALID_REQUEST', message, { action: 'fix-request' });
}

function persistedQueryNotFound(): GraphQLError {
  return new GraphQLError('Send the text of the query; hashes alone are answered over HTTP.', {
    extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
  });
}
