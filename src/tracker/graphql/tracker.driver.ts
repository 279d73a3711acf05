import type { ApolloServer } from '@apollo/server';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { ApolloPipeline } from './apollo-pipeline.js';
import { GRAPHQL_BODY_LIMIT, GRAPHQL_PATHS } from './graphql-edge.js';
import { GraphqlEndpoint } from './graphql-endpoint.js';

/** Nest's Apollo driver with an HTTP side of our own: the contract's order of checks and its headers. */
@Injectable()
export class TrackerDriver extends ApolloDriver {
  constructor(
    modules: ModulesContainer,
    private readonly endpoint: GraphqlEndpoint,
    private readonly pipeline: ApolloPipeline,
  ) {
    super(modules);
  }

  protected override async registerFastify(options: ApolloDriverConfig): Promise<void> {
    this.apolloServer = (await this.pipeline.start(options.schema as GraphQLSchema)) as unknown as ApolloServer;
    const fastify = this.httpAdapterHost.httpAdapter.getInstance<FastifyInstance>();
    for (const url of GRAPHQL_PATHS) {
      fastify.route({
        method: 'POST',
        url,
        bodyLimit: GRAPHQL_BODY_LIMIT,
        handler: (request, reply) => this.endpoint.handle(request, reply),
      });
    }
  }
}
