import {
  Controller,
  Delete,
  Get,
  HttpCode,
  NotFoundException,
  Param,
  Post,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { RestBody } from '../../kernel/http/rest-body.js';
import { TrackerError } from '../values/errors.js';
import type { Webhook } from './webhook.entity.js';
import { isUuid } from '../values/uuid.js';
import type { Viewer } from '../access/viewer.js';
import { ForAdmins, RestViewer } from '../rest/rest-caller.js';
import { FIRING_TYPES, isFiring } from '../events/tracker-events.js';
import { CreateWebhookBody } from './webhooks.dto.js';
import { WebhooksService } from './webhooks.service.js';

/**
 * A UUID and nothing else is a webhook of the tracker's: the chat service owns other names under this path, so they are no
 * route here, whoever asks (docs/reference/tracker.md#rest). A pattern in the path would say the same but is no valid
 * OpenAPI.
 */
const UuidOnly: CanActivate = {
  canActivate(context: ExecutionContext): boolean {
    const { id } = context.switchToHttp().getRequest<{ params: { id: string } }>().params;
    if (!isUuid(id)) throw new NotFoundException();
    return true;
  },
};

/** Webhooks over REST: the same table as in GraphQL (docs/reference/tracker.md#rest). */
@ApiTags('tracker')
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly db: Db,
    private readonly service: WebhooksService,
  ) {}

  @Post()
  @ForAdmins()
  @ApiOperation({ summary: 'Make a webhook; its secret is generated where none is given. 404 team_not_found' })
  async create(@RestViewer() viewer: Viewer, @RestBody() body: CreateWebhookBody) {
    const resourceTypes = body.resourceTypes ?? [...FIRING_TYPES];
    try {
      const { webhook } = await this.service.create(viewer, { ...body, resourceTypes });
      const warnings = silentOf(resourceTypes);
      return {
        ...toRest({ ...webhook, secret: this.db.secrets.open(webhook.secret) }),
        ...(warnings.length > 0 ? { warnings } : {}),
      };
    } catch (error) {
      throw isKind(error, 'unknownReference') ? new RestError(404, 'team_not_found') : error;
    }
  }

  @Get()
  @ForAdmins()
  @ApiOperation({ summary: 'All webhooks, newest first' })
  async list(@RestViewer() viewer: Viewer) {
    return { webhooks: (await this.service.list(viewer)).map(toRest) };
  }

  @Delete(':id')
  @HttpCode(200)
  @ForAdmins()
  @UseGuards(UuidOnly)
  @ApiOperation({ summary: 'Delete a webhook; it receives nothing more. 404 webhook_not_found' })
  async delete(@RestViewer() viewer: Viewer, @Param('id') id: string) {
    try {
      await this.service.delete(viewer, id);
    } catch (error) {
      throw isKind(error, 'notFound') ? new RestError(404, 'webhook_not_found') : error;
    }
    return { success: true };
  }
}

/** A warning for each type of event that this service never sends. */
const silentOf = (resourceTypes: readonly string[]): string[] =>
  resourceTypes.flatMap((type, i) => (isFiring(type) ? [] : [`resourceTypes[${i}]: "${type}" never fires here`]));

const isKind = (error: unknown, kind: TrackerError['kind']): boolean =>
  error instanceof TrackerError && error.kind === kind;

const toRest = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  label: webhook.label,
  enabled: webhook.enabled,
  secret: webhook.secret,
  resourceTypes: webhook.resourceTypes,
  teamId: webhook.teamId,
  allPublicTeams: webhook.allPublicTeams,
  creatorId: webhook.creatorId,
  createdAt: webhook.createdAt,
  updatedAt: webhook.updatedAt,
});
