import { Controller } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { AppsAccess } from '../access/apps-access.js';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import { FunctionExecutions, type ExecutionEnd } from './function-executions.js';
import { functionOf } from '../wire/app-functions.js';
import { MessagingError } from '../wire/codes.js';
import { FunctionsCompleteErrorArgs, FunctionsCompleteSuccessArgs } from './functions.dto.js';

/** Ends of custom steps (docs/reference/chat.md#custom-steps). */
@Controller()
export class FunctionsController {
  constructor(
    private readonly db: Db,
    private readonly apps: AppsAccess,
    private readonly executions: FunctionExecutions,
  ) {}

  @RpcMethod('functions.completeSuccess', { core: false })
  @RequireScope(null, { appTokensOnly: true })
  @RateTier(3)
  async completeSuccess(@CallerOf() caller: Caller, @RpcArgs() args: FunctionsCompleteSuccessArgs): Promise<void> {
    await this.end(caller, args.function_execution_id, { outputs: args.outputs });
  }

  @RpcMethod('functions.completeError', { core: false })
  @RequireScope(null, { appTokensOnly: true })
  @RateTier(3)
  async completeError(@CallerOf() caller: Caller, @RpcArgs() args: FunctionsCompleteErrorArgs): Promise<void> {
    await this.end(caller, args.function_execution_id, { error: args.error });
  }

  private async end(caller: Caller, id: string, end: ExecutionEnd): Promise<void> {
    if (!caller.app) throw new MessagingError('not_allowed_token_type');
    const { workspaceId } = caller;
    const app = await this.apps.find(workspaceId, caller.app.id);
    if (!app) throw new MessagingError('function_execution_not_found');
    await this.db.write((tx) =>
      this.executions.end(tx, { workspaceId, appId: app.id }, id, end, (callbackId) => functionOf(app, callbackId)),
    );
  }
}
