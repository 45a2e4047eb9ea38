import { unwrapResolverError } from '@apollo/server/errors';
import { AllotError } from '@allot/model';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { toAllotError } from '../problems/to-allot-error.js';

/**
 * The GraphQL form of an error: the same code, action and facts as the problem that REST answers, in `extensions`. Errors of
 * the query itself keep Apollo's code (GRAPHQL_VALIDATION_FAILED and so on).
 */
export function formatGraphQLError(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const original = originalOf(thrown);
  const { locations, path } = formatted;
  const place = { ...(locations === undefined ? {} : { locations }), ...(path === undefined ? {} : { path }) };
  const code = formatted.extensions?.['code'];
  if (isQueryError(original, code)) {
    return { message: formatted.message, ...place, extensions: { code, retriable: false, action: 'fix-request' } };
  }
  const error = toAllotError(original);
  return {
    message: error.message,
    ...place,
    extensions: {
      ...error.facts,
      code: error.code,
      retriable: error.retriable,
      ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(error.retryAfterMs) }),
      action: error.action,
      ...(error.errors.length === 0 ? {} : { errors: error.errors }),
    },
  };
}

/** Whether an error is a fault of this service, to be logged. */
export function isFault(error: GraphQLError): boolean {
  const original = originalOf(error);
  return !isQueryError(original, error.extensions['code']) && toAllotError(original).code === 'INTERNAL_ERROR';
}

/** What was thrown, by a resolver or by the door before all resolvers. */
function originalOf(thrown: unknown): unknown {
  if (thrown instanceof GraphQLError && thrown.originalError instanceof AllotError) return thrown.originalError;
  return unwrapResolverError(thrown);
}

/** Whether the client's query is at fault: it does not parse, does not fit the schema, or its variables do not. */
function isQueryError(original: unknown, code: unknown): code is string {
  return !(original instanceof AllotError) && typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR';
}
