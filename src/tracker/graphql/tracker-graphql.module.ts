import type { ApolloDriverConfig } from '@nestjs/apollo';
import { Module, type Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import { gql } from 'graphql-tag';
import { Clock } from '../../kernel/clock/clock.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { ApolloPipeline } from './apollo-pipeline.js';
import { Budgets } from './budgets.js';
import { ErrorWording } from './error-wording.js';
import { GraphqlEdge } from './graphql-edge.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';
import { finishTrackerSchema, relatedTypes } from './schema.js';
import { TrackerNames } from './tracker-names.js';
import { TrackerDriver } from './tracker.driver.js';

@Module({
  providers: [ApolloPipeline, Budgets, ErrorWording, GraphqlEndpoint],
  exports: [ApolloPipeline, Budgets, GraphqlEndpoint],
})
class EndpointModule {}

/** The classes of all providers. */
const providersOf = (modules: ModulesContainer): Type<unknown>[] =>
  [...modules.values()].flatMap(({ providers }) =>
    [...providers.values()].flatMap(({ metatype }) =>
      typeof metatype === 'function' ? [metatype as Type<unknown>] : [],
    ),
  );

/**
 * The GraphQL edge: the schema out of every resolver there is, and the endpoint that serves it
 * (docs/reference/tracker.md#transport).
 */
@Module({
  providers: [TrackerNames],
  imports: [
    EndpointModule,
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: TrackerDriver,
      imports: [EndpointModule],
      inject: [Clock, ModulesContainer],
      useFactory: (clock: Clock, modules: ModulesContainer) => ({
        autoSchemaFile: true,
        // Apollo checks the finished schema when it starts; introspecting it before takes a tenth of the start-up time
        buildSchemaOptions: { orphanedTypes: relatedTypes(), skipCheck: true },
        transformSchema: (schema) => {
          // Nest has parsed the whole schema on the way, and graphql-tag keeps that document: 9 MB
          gql.resetCaches();
          return finishTrackerSchema(schema, { now: () => clock.now(), resolvers: providersOf(modules) });
        },
        graphiql: false,
      }),
    }),
  ],
})
export class TrackerGraphqlModule {
  constructor(edges: HttpEdges, endpoint: GraphqlEndpoint) {
    edges.add(new GraphqlEdge(endpoint));
  }
}
