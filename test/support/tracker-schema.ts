import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RESOLVER_TYPE_METADATA, GraphQLSchemaBuilderModule, GraphQLSchemaFactory } from '@nestjs/graphql';
import { buildSchema, type GraphQLSchema, lexicographicSortSchema } from 'graphql';
import { readFileSync } from 'node:fs';
import * as entities from '../../src/tracker/entities.js';
import { providersAmong } from '../../src/tracker/entity/providers.js';
import { finishTrackerSchema, relatedTypes } from '../../src/tracker/graphql/schema.js';
import { TrackerFilesModule } from '../../src/tracker/files/files.module.js';
import { IssuesModule } from '../../src/tracker/issues/issues.module.js';
import { OrganizationModule } from '../../src/tracker/organization/organization.module.js';
import { ProjectsModule } from '../../src/tracker/projects/projects.module.js';
import { TrackerSearchModule } from '../../src/tracker/search/search.module.js';
import { TeamsModule } from '../../src/tracker/teams/teams.module.js';
import { TrackerWebhooksModule } from '../../src/tracker/webhooks/webhooks.module.js';

/** All `@Resolver()` classes of the tracker: providers of its families, and of the entities with a folder of their own. */
export const trackerResolvers: Type<unknown>[] = [
  ...[
    IssuesModule,
    OrganizationModule,
    ProjectsModule,
    TeamsModule,
    TrackerFilesModule,
    TrackerSearchModule,
    TrackerWebhooksModule,
  ].flatMap((module) => Reflect.getMetadata('providers', module) as Type<unknown>[]),
  ...providersAmong(entities),
].filter((provider) => Reflect.hasMetadata(RESOLVER_TYPE_METADATA, provider) || provider.name.endsWith('Resolver'));

/** The reference schema: every type, field, argument and value, sorted. */
export function contractTrackerSchema(): GraphQLSchema {
  const sdl = readFileSync(new URL('../contract/fixtures/tracker.graphql', import.meta.url), 'utf8');
  return lexicographicSortSchema(buildSchema(sdl));
}

/** The schema as the server builds it from the classes, without a database or an application. */
export async function builtTrackerSchema(options: Parameters<typeof finishTrackerSchema>[1] = {}) {
  const nest = await NestFactory.createApplicationContext(GraphQLSchemaBuilderModule, { logger: ['error'] });
  const schema = await nest.get(GraphQLSchemaFactory).create(trackerResolvers, [], {
    orphanedTypes: relatedTypes(),
    skipCheck: true,
  });
  await nest.close();
  return finishTrackerSchema(schema, options);
}
