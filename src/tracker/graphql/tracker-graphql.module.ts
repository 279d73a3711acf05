import type { ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { Clock } from '../../kernel/clock/clock.js';
import { HttpEdges } from '../../kernel/http/edges.js';
import { trackerRelations } from '../resolvers.js';
import { finishTrackerSchema, trackerTypes } from '../schema.js';
import { Budgets } from './budgets.js';
import { GraphqlEdge } from './graphql-edge.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';
import { TrackerDriver } from './tracker.driver.js';

@Module({ providers: [Budgets, GraphqlEndpoint], exports: [Budgets, GraphqlEndpoint] })
class EndpointModule {}

/** The GraphQL edge: the schema out of every resolver there is, and the endpoint that serves it (tracker.md a.1). */
@Module({
  imports: [
    EndpointModule,
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: TrackerDriver,
      imports: [EndpointModule],
      inject: [Clock],
      useFactory: (clock: Clock) => ({
        autoSchemaFile: true,
        buildSchemaOptions: { orphanedTypes: trackerTypes },
        transformSchema: (schema) =>
          finishTrackerSchema(schema, { relations: trackerRelations, now: () => clock.now() }),
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
