import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { AssistantSearchContextArgs } from './context.dto.js';
import { SearchContext } from './context.service.js';
import { SearchAllArgs, SearchFilesArgs, SearchMessagesArgs } from './search.dto.js';
import { SearchService } from './search.service.js';

@Controller()
export class SearchController {
  constructor(
    private readonly search: SearchService,
    private readonly searchContext: SearchContext,
  ) {}

  @RpcMethod('search.messages')
  @RequireScope('search:read', { usersOnlyWhenStrict: true })
  @RateTier(4)
  messages(@CallerOf() caller: Caller, @RpcArgs() args: SearchMessagesArgs): Promise<Answer> {
    return this.search.messages(caller, args);
  }

  @RpcMethod('search.files', { core: false })
  @RequireScope('search:read', { usersOnlyWhenStrict: true })
  @RateTier(2)
  files(@CallerOf() caller: Caller, @RpcArgs() args: SearchFilesArgs): Promise<Answer> {
    return this.search.files(caller, args);
  }

  @RpcMethod('search.all', { core: false })
  @RequireScope('search:read', { usersOnlyWhenStrict: true })
  @RateTier(2)
  all(@CallerOf() caller: Caller, @RpcArgs() args: SearchAllArgs): Promise<Answer> {
    return this.search.all(caller, args);
  }

  @RpcMethod('assistant.search.context', { core: false })
  @RequireScope(['search:read.public', 'search:read.files', 'search:read.users'])
  @RateTier('search')
  context(@CallerOf() caller: Caller, @RpcArgs() args: AssistantSearchContextArgs): Promise<Answer> {
    return this.searchContext.find(caller, args);
  }
}
