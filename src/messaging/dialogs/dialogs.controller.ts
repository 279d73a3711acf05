import { Controller } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import { Dialogs } from '../surfaces/dialogs.js';
import { Triggers } from '../surfaces/triggers.js';
import { MessagingError, type ErrorCode } from '../wire/codes.js';
import { DialogOpenArgs } from './dialogs.dto.js';

/** What this method calls the refusals of a trigger id. */
const REFUSALS: Partial<Record<ErrorCode, ErrorCode>> = {
  invalid_trigger_id: 'invalid_trigger',
  expired_trigger_id: 'trigger_expired',
  exchanged_trigger_id: 'trigger_exchanged',
};

@Controller()
export class DialogsController {
  constructor(
    private readonly db: Db,
    private readonly triggers: Triggers,
    private readonly dialogs: Dialogs,
  ) {}

  @RpcMethod('dialog.open', { core: false })
  @RequireScope(null, { appTokensOnly: true })
  @RateTier(4)
  async open(@CallerOf() caller: Caller, @RpcArgs() args: DialogOpenArgs): Promise<void> {
    if (!caller.app) throw new MessagingError('not_allowed_token_type');
    const app = { tenantId: caller.tenantId, workspaceId: caller.workspaceId, appId: caller.app.id };
    await this.db.write(async (tx) => {
      const { userId, conversationId } = await this.triggers.spend(tx, app, args.trigger_id).catch((error: unknown) => {
        const code = error instanceof MessagingError ? REFUSALS[error.code] : undefined;
        throw code ? new MessagingError(code) : error;
      });
      await this.dialogs.open(tx, { ...app, userId }, { triggerId: args.trigger_id, conversationId }, args.dialog);
    });
  }
}
