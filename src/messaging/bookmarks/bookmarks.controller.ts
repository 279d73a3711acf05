import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { BookmarksAddArgs, BookmarksEditArgs, BookmarksListArgs, BookmarksRemoveArgs } from './bookmarks.dto.js';
import { BookmarksService } from './bookmarks.service.js';

@Controller()
export class BookmarksController {
  constructor(private readonly bookmarks: BookmarksService) {}

  @RpcMethod('bookmarks.add', { core: false })
  @RequireScope('bookmarks:write')
  @RateTier(2)
  add(@CallerOf() caller: Caller, @RpcArgs() args: BookmarksAddArgs): Promise<Answer> {
    return this.bookmarks.add(caller, args);
  }

  @RpcMethod('bookmarks.edit', { core: false })
  @RequireScope('bookmarks:write')
  @RateTier(2)
  edit(@CallerOf() caller: Caller, @RpcArgs() args: BookmarksEditArgs): Promise<Answer> {
    return this.bookmarks.edit(caller, args);
  }

  @RpcMethod('bookmarks.remove', { core: false })
  @RequireScope('bookmarks:write')
  @RateTier(2)
  remove(@CallerOf() caller: Caller, @RpcArgs() args: BookmarksRemoveArgs): Promise<void> {
    return this.bookmarks.remove(caller, args);
  }

  @RpcMethod('bookmarks.list', { core: false })
  @RequireScope('bookmarks:read')
  @RateTier(3)
  list(@CallerOf() caller: Caller, @RpcArgs() args: BookmarksListArgs): Promise<Answer> {
    return this.bookmarks.list(caller, args);
  }
}
