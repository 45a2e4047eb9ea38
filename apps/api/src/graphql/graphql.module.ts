import type { ApolloServerPlugin } from '@apollo/server';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import type { DynamicModule } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { formatGraphQLError, isFault } from './graphql-errors.js';
import { LANDING_PAGE } from './landing-page.js';
import { limitQueries } from './query-limits.js';
import { RequestContext } from './request-context.js';

/** Tokens of a query before it is even parsed to the end; the field limit is far below. */
const MAX_TOKENS = 5_000;

/** GraphQL at /graphql over the resolvers of all features. */
export function graphqlModule(): DynamicModule {
  return GraphQLModule.forRoot<ApolloDriverConfig>({
    driver: ApolloDriver,
    path: '/graphql',
    autoSchemaFile: true,
    sortSchema: true,
    graphiql: false,
    introspection: true,
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    autoTransformHttpErrors: false,
    validationRules: [limitQueries],
    parseOptions: { maxTokens: MAX_TOKENS },
    context: (request: FastifyRequest) => new RequestContext(request),
    formatError: formatGraphQLError,
    plugins: [logFaults, serveLandingPage],
  });
}

const logFaults: ApolloServerPlugin<RequestContext> = {
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue }) => {
      for (const error of errors) {
        if (isFault(error)) contextValue.req.log.error({ err: error.originalError ?? error }, 'a resolver failed');
      }
    },
  }),
};

const serveLandingPage: ApolloServerPlugin = {
  serverWillStart: async () => ({ renderLandingPage: async () => ({ html: LANDING_PAGE }) }),
};
