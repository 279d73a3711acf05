import { Controller } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { AgentsSessionsRenameArgs, AgentsSessionsSetStatusArgs } from './agents.dto.js';
import { Agents } from './agents.service.js';

@Controller()
export class AgentsController {
  constructor(private readonly agents: Agents) {}

  @RpcMethod('agents.sessions.setStatus', { core: false, tokens: ['bot'] })
  @RequireScope('chat:write')
  @RateTier(3)
  setStatus(@CallerOf() caller: Caller, @RpcArgs() args: AgentsSessionsSetStatusArgs): Promise<Answer> {
    return this.agents.setStatus(caller, args);
  }

  @RpcMethod('agents.sessions.rename', { core: false, tokens: ['bot'] })
  @RequireScope('chat:write')
  @RateTier(3)
  rename(@CallerOf() caller: Caller, @RpcArgs() args: AgentsSessionsRenameArgs): Promise<Answer> {
    return this.agents.rename(caller, args);
  }
}
