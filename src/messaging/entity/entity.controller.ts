import { Controller } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { EntityRequest } from './entity-request.entity.js';
import { EntityRequests, type Presented } from './entity-requests.js';
import { Triggers } from '../surfaces/triggers.js';
import { MessagingError } from '../wire/codes.js';
import { cleanJson } from '../wire/text.js';
import { readWorkObject } from '../wire/work-objects.js';
import { EntityPresentDetailsArgs } from './entity.dto.js';

/** Details of work objects (docs/reference/chat.md#work-objects). */
@Controller()
export class EntityController {
  constructor(
    private readonly db: Db,
    private readonly triggers: Triggers,
    private readonly requests: EntityRequests,
  ) {}

  @RpcMethod('entity.presentDetails', { core: false })
  @RequireScope(null, { appTokensOnly: true })
  @RateTier(3)
  async presentDetails(@CallerOf() caller: Caller, @RpcArgs() args: EntityPresentDetailsArgs): Promise<void> {
    if (!caller.app) throw new MessagingError('not_allowed_token_type');
    const app = { workspaceId: caller.workspaceId, appId: caller.app.id };
    await this.db.write(async (tx) => {
      await this.triggers.exchange(tx, app, args.trigger_id).catch((error: unknown) => {
        throw error instanceof MessagingError ? new MessagingError('invalid_trigger_id') : error;
      });
      const request = await this.requests.find(tx, args.trigger_id);
      if (!request) throw new MessagingError('invalid_trigger_id');
      await this.requests.present(tx, caller.tenantId, request, presentedOf(args, request));
    });
  }
}

/** @throws MessagingError user_auth_url_missing, invalid_metadata, entity_metadata_does_not_match_trigger */
function presentedOf(args: EntityPresentDetailsArgs, request: EntityRequest): Presented {
  const { metadata, error, user_auth_required: isAuthRequired, user_auth_url: authUrl } = args;
  if (isAuthRequired) {
    if (authUrl === undefined) throw new MessagingError('user_auth_url_missing');
    return { user_auth_required: true, user_auth_url: authUrl };
  }
  if (error) return { error };
  const entity = readWorkObject(cleanJson(metadata));
  if (!entity) throw new MessagingError('invalid_metadata');
  if (entity.external_ref.id !== request.externalId) {
    throw new MessagingError('entity_metadata_does_not_match_trigger');
  }
  return { metadata: entity };
}
