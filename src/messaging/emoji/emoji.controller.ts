import { Controller } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { BooleanArg } from '../rpc/args/args.js';
import { RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { formatTs } from '../store/message-ts.js';

/** Arguments of emoji.list. */
export class EmojiListArgs {
  @BooleanArg({ default: false, notes: 'adds categories' })
  include_categories!: boolean;
}

/** Custom emoji: there are none (docs/reference/chat.md#emoji). */
@Controller()
export class EmojiController {
  constructor(private readonly clock: Clock) {}

  @RpcMethod('emoji.list', { core: false })
  @RequireScope('emoji:read')
  @RateTier(2)
  list(@RpcArgs() args: EmojiListArgs): Answer {
    return {
      emoji: {},
      cache_ts: formatTs(this.clock.nowSeconds() * 1e6),
      ...(args.include_categories ? { categories: [] } : {}),
    };
  }
}
