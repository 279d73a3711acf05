import { NestFactory } from '@nestjs/core';
import { GraphQLSchemaBuilderModule, GraphQLSchemaFactory } from '@nestjs/graphql';
import { buildSchema, type GraphQLSchema, lexicographicSortSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import { trackerRelations, trackerResolvers } from '../../src/tracker/resolvers.js';
import { finishTrackerSchema, trackerTypes } from '../../src/tracker/schema.js';

/** The contract's schema: every type, field, argument and value there is, sorted. */
export function contractTrackerSchema(): GraphQLSchema {
  const sdl = readFileSync(new URL('../contract/fixtures/tracker.graphql', import.meta.url), 'utf8');
  return lexicographicSortSchema(buildSchema(sdl));
}

/** Our schema as the server builds it, from the classes alone: no database, no application. */
export async function builtTrackerSchema(options: Parameters<typeof finishTrackerSchema>[1] = {}) {
  const nest = await NestFactory.createApplicationContext(GraphQLSchemaBuilderModule, { logger: ['error'] });
  const schema = await nest.get(GraphQLSchemaFactory).create(trackerResolvers, [], {
    orphanedTypes: trackerTypes,
    skipCheck: true,
  });
  await nest.close();
  return finishTrackerSchema(schema, { relations: trackerRelations, ...options });
}
