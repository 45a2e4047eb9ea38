import type { ApolloServerPlugin } from '@apollo/server';
import { InMemoryLRUCache } from '@apollo/utils.keyvaluecache';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { type DynamicModule, Module } from '@nestjs/common';
import { GraphQLModule, GraphQLSchemaHost } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config/config.js';
import { LIMITS } from '../config/limits.js';
import { CONFIG } from '../ports.js';
import { Admission } from './admission.js';
import { readAllowList } from './allow-list.js';
import { DateTime } from './date-time.js';
import { GraphQLExecution } from './execution.js';
import { formatGraphQLError, isFault } from './graphql-errors.js';
import { GRAPHQL_PATH, HttpGate } from './http-gate.js';
import { LANDING_PAGE } from './landing-page.js';
import { RequestContext } from './request-context.js';
import { GraphQLStreamController } from './sse.controller.js';
import { GraphQLWebSockets } from './websockets.js';

/**
 * GraphQL over the resolvers of all features: at /graphql through Apollo, there over WebSockets too, and at /graphql/stream by
 * Server-Sent Events. One door for all of them (`Admission`).
 */
@Module({
  controllers: [GraphQLStreamController],
  providers: [
    {
      provide: Admission,
      inject: [CONFIG],
      useFactory: ({ graphqlAllowList }: Config) =>
        new Admission(graphqlAllowList === undefined ? undefined : readAllowList(graphqlAllowList)),
    },
    {
      provide: GraphQLExecution,
      inject: [GraphQLSchemaHost, Admission, CONFIG],
      useFactory: (host: GraphQLSchemaHost, admission: Admission, { graphqlIntrospection }: Config) =>
        new GraphQLExecution(host, admission, graphqlIntrospection),
    },
    HttpGate,
    GraphQLWebSockets,
  ],
})
export class AllotGraphQLModule {
  static register(): DynamicModule {
    return { module: AllotGraphQLModule, imports: [apollo()] };
  }
}

function apollo(): DynamicModule {
  return GraphQLModule.forRootAsync<ApolloDriverConfig>({
    driver: ApolloDriver,
    inject: [CONFIG],
    useFactory: ({ graphqlIntrospection }: Config) => ({
      path: GRAPHQL_PATH,
      autoSchemaFile: true,
      sortSchema: true,
      buildSchemaOptions: { scalarsMap: [{ type: Date, scalar: DateTime }] },
      graphiql: false,
      introspection: graphqlIntrospection,
      csrfPrevention: true,
      persistedQueries: { cache: new InMemoryLRUCache({ maxSize: LIMITS.graphqlPersistedBytes }) },
      includeStacktraceInErrorResponses: false,
      autoTransformHttpErrors: false,
      parseOptions: { maxTokens: LIMITS.graphqlTokens },
      context: (request: FastifyRequest) => new RequestContext(request),
      formatError: formatGraphQLError,
      plugins: [logFaults, serveLandingPage],
    }),
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
