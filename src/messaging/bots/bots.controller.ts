import { Controller } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { MessagingError } from '../wire/codes.js';
import { toWireBotProfile } from '../wire/message-wire.js';
import { BotsInfoArgs } from './bots.dto.js';
import { BOT_BY_ID } from './bots.queries.js';

interface BotRow extends Record<string, unknown> {
  id: string;
  name: string;
  createdAt: number;
  appId: string;
  userId: string | null;
  pictured: string;
  deleted: boolean;
}

@Controller()
export class BotsController {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
  ) {}

  @RpcMethod('bots.info', { core: false })
  @RequireScope('users:read')
  @RateTier(3)
  async info(@CallerOf() caller: Caller, @RpcArgs() args: BotsInfoArgs): Promise<Answer> {
    const id = args.bot ?? caller.app?.botId;
    if (id === undefined) throw new MessagingError('missing_argument');
    const [bot] = /^B0[0-9A-Z]{9,}$/.test(id) ? await this.db.read<BotRow>(BOT_BY_ID, [caller.workspaceId, id]) : [];
    if (!bot) throw new MessagingError('bot_not_found');
    const { icons } = toWireBotProfile(
      { id: bot.appId, name: bot.name, botId: bot.id, botUserId: bot.pictured, createdAt: 0 },
      caller.workspaceId,
      this.publicUrl.base,
    ) as { icons: object };
    return {
      bot: {
        id: bot.id,
        deleted: bot.deleted,
        name: bot.name,
        updated: Math.floor(bot.createdAt / 1e6),
        app_id: bot.appId,
        user_id: bot.userId ?? undefined,
        icons,
      },
    };
  }
}
