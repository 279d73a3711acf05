import { Controller } from '@nestjs/common';
import { RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import { blockList } from '../wire/blocks.js';
import { fields, list, type BlockFault, Walk } from '../wire/block-kit/rule.js';
import { MessagingError } from '../wire/codes.js';
import { viewRule } from '../wire/view-content.js';
import { BlocksValidateArgs } from './blocks.dto.js';

/** The most faults that are answered. */
const MAX_FAULTS = 50;

const MESSAGE = fields({ blocks: blockList(), attachments: list(fields({ blocks: blockList() }), 0, 100) });

/** blocks.validate: every fault of blocks, by the rules that posts and views are checked by. Nothing is stored. */
@Controller()
export class BlocksController {
  @RpcMethod('blocks.validate', { core: false })
  @RequireScope(null)
  @RateTier(4)
  validate(@RpcArgs() { blocks, message, view }: BlocksValidateArgs): void {
    if (blocks) refuse('invalid_blocks', new Walk('message', MAX_FAULTS).check(blockList(), blocks, ''));
    if (message) refuse('invalid_message', new Walk('message', MAX_FAULTS).check(MESSAGE, message, ''));
    if (!view) return;
    const type = view['type'] === 'home' ? 'home' : 'modal';
    refuse('invalid_view', new Walk(type, MAX_FAULTS).check(viewRule(type), view, ''));
  }
}

/** @throws MessagingError with all faults, if there are any */
function refuse(code: 'invalid_blocks' | 'invalid_message' | 'invalid_view', faults: readonly BlockFault[]): void {
  if (faults.length === 0) return;
  const errors = faults.map(({ code, reason, pointer, constraint }) => ({
    code,
    message: reason,
    pointer,
    ...(constraint && { constraint }),
  }));
  throw new MessagingError(code, { extra: { errors } });
}
