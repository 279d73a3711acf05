import { Controller } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { MessagingError } from '../wire/codes.js';
import { teamIcon } from '../wire/team-icon.js';
import { TeamInfoArgs } from './team.dto.js';
import { Workspace } from '../store/workspace.entity.js';
import { workspaceUrl } from '../wire/chat-urls.js';

@Controller()
export class TeamController {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
  ) {}

  @RpcMethod('team.info', { core: false })
  @RequireScope('team:read')
  @RateTier(3)
  async info(@CallerOf() caller: Caller, @RpcArgs() args: TeamInfoArgs): Promise<Answer> {
    const team = await this.db.load((entities) => entities.findOneBy(Workspace, { id: caller.workspaceId }));
    // any other workspace gets the same answer, whether it exists or not
    const isOther = (args.team ?? team?.id) !== team?.id || (args.domain ?? team?.domain) !== team?.domain;
    if (!team || isOther) throw new MessagingError('team_not_found');
    const { base } = this.publicUrl;
    return {
      team: {
        id: team.id,
        name: team.name,
        url: `${workspaceUrl(base, caller)}/`,
        domain: team.domain,
        email_domain: '',
        icon: teamIcon(team, base),
        avatar_base_url: `${base}/avatars/`,
        is_verified: false,
      },
    };
  }
}
