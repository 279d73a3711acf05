import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Viewer } from '../access/viewer.js';
import { ForAdmins, RestViewer } from '../rest/rest-caller.js';
import { ApplicationTeamsBody, ChangeApplicationBody, CreateApplicationBody } from './applications.dto.js';
import { ApplicationTeams } from './application-teams.js';
import { ApplicationsService } from './applications.service.js';
import type { OauthApplication } from '../store/oauth-application.entity.js';

/** Applications of OAuth (docs/reference/tracker-oauth.md#applications). */
@ApiTags('tracker')
@Controller('oauth-applications')
export class ApplicationsController {
  constructor(
    private readonly service: ApplicationsService,
    private readonly teams: ApplicationTeams,
  ) {}

  @Post()
  @ForAdmins()
  @ApiOperation({ summary: 'Register an application; its secrets are shown only here. 409 too_many_applications' })
  async create(@RestViewer() viewer: Viewer, @RestBody() body: CreateApplicationBody) {
    const { application, ...secrets } = await this.service.create(viewer, body);
    return { application: toRest(application), ...secrets };
  }

  @Get()
  @ForAdmins()
  @ApiOperation({ summary: 'Applications that the organization registered, oldest first' })
  async list(@RestViewer() viewer: Viewer) {
    return { applications: (await this.service.list(viewer)).map(toRest) };
  }

  @Get(':id')
  @ForAdmins()
  @ApiOperation({ summary: 'One application. 404 application_not_found' })
  async one(@RestViewer() viewer: Viewer, @Param('id') id: string) {
    return toRest(await this.service.own(viewer, id));
  }

  @Patch(':id')
  @ForAdmins()
  @ApiOperation({ summary: 'Change an application, and its webhooks with it. 404 application_not_found' })
  async change(@RestViewer() viewer: Viewer, @Param('id') id: string, @RestBody() body: ChangeApplicationBody) {
    return toRest(await this.service.change(viewer, id, body));
  }

  @Delete(':id')
  @HttpCode(200)
  @ForAdmins()
  @ApiOperation({ summary: 'Delete an application with all its tokens. 404 application_not_found' })
  async remove(@RestViewer() viewer: Viewer, @Param('id') id: string) {
    await this.service.remove(viewer, id);
    return { success: true };
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  @ForAdmins()
  @ApiOperation({ summary: 'A new client secret; the old one stops at once. 404 application_not_found' })
  async rotateSecret(@RestViewer() viewer: Viewer, @Param('id') id: string) {
    return { clientSecret: await this.service.rotateSecret(viewer, id) };
  }

  @Post(':id/rotate-webhook-secret')
  @HttpCode(200)
  @ForAdmins()
  @ApiOperation({ summary: 'A new secret that webhooks are signed with. 404 application_not_found' })
  async rotateWebhookSecret(@RestViewer() viewer: Viewer, @Param('id') id: string) {
    return { webhookSecret: await this.service.rotateWebhookSecret(viewer, id) };
  }

  @Get(':id/authorizations')
  @ForAdmins()
  @ApiOperation({ summary: 'Who has an application in this organization. 404 application_not_found' })
  async authorizations(@RestViewer() viewer: Viewer, @Param('id') id: string) {
    return { authorizations: await this.service.authorizationsOf(viewer, id) };
  }

  @Delete(':id/authorization')
  @HttpCode(200)
  @ForAdmins()
  @ApiOperation({ summary: 'De-authorize an application in this organization. 404 application_not_found' })
  async deauthorize(@RestViewer() viewer: Viewer, @Param('id') id: string) {
    await this.service.deauthorize(viewer, id);
    return { success: true };
  }

  @Put(':id/teams')
  @ForAdmins()
  @ApiOperation({ summary: "The teams of the application's own user. 404 application_not_found, team_not_found" })
  async setTeams(@RestViewer() viewer: Viewer, @Param('id') id: string, @RestBody() body: ApplicationTeamsBody) {
    return this.teams.set(viewer, id, body);
  }
}

/** Never a secret. */
const toRest = (application: OauthApplication) => ({
  id: application.id,
  clientId: application.clientId,
  name: application.name,
  description: application.description,
  developer: application.developer,
  developerUrl: application.developerUrl,
  imageUrl: application.imageUrl,
  redirectUris: application.redirectUris,
  grantTypes: ['authorization_code', ...(application.hasClientCredentials ? ['client_credentials'] : [])],
  distribution: application.isPublic ? 'public' : 'private',
  webhookUrl: application.webhookUrl,
  webhookEnabled: application.webhookEnabled,
  webhookResourceTypes: application.webhookResourceTypes,
  createdAt: application.createdAt,
  updatedAt: application.updatedAt,
});
