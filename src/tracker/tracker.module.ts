import { Module } from '@nestjs/common';
import * as entities from './entities.js';
import { providersAmong } from './entity/providers.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { ReleaseAccessKeysModule } from './releases/access-keys/release-access-keys.module.js';
import { TrackerFilesModule } from './files/files.module.js';
import { TrackerGraphqlModule } from './graphql/tracker-graphql.module.js';
import { IssueMcpModule } from './mcp/mcp.module.js';
import { TrackerCoreModule } from './core.module.js';
import { IssuesModule } from './issues/issues.module.js';
import { OrganizationModule } from './organization/organization.module.js';
import { ProjectsModule } from './projects/projects.module.js';
import { TrackerOauthModule } from './oauth/oauth.module.js';
import { TrackerRealtimeModule } from './realtime/realtime.module.js';
import { TrackerSearchModule } from './search/search.module.js';
import { TeamsModule } from './teams/teams.module.js';
import { TrackerWebhooksModule } from './webhooks/webhooks.module.js';

/** The issue tracker: its model, its GraphQL edge, one module a family, and the entities that bring their own. */
@Module({
  imports: [
    TrackerCoreModule,
    TrackerRealtimeModule,
    TrackerGraphqlModule,
    IssuesModule,
    OrganizationModule,
    ProjectsModule,
    TeamsModule,
    TrackerSearchModule,
    IssueMcpModule,
    ApiKeysModule,
    ReleaseAccessKeysModule,
    TrackerFilesModule,
    TrackerOauthModule,
    TrackerWebhooksModule,
  ],
  providers: providersAmong(entities),
})
export class TrackerModule {}
