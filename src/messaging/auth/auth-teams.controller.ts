import { Controller } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import type { Caller } from '../access/conversation-access.js';
import { CallerOf, RateTier, RequireScope, RpcArgs, RpcMethod } from '../rpc/contract.js';
import { encodeCursor, keyOfCursor, pageEnd } from '../rpc/cursor.js';
import type { Answer } from '../rpc/envelope.interceptor.js';
import { teamIcon } from '../wire/team-icon.js';
import { AuthTeamsListArgs } from './auth.dto.js';
import { TEAMS } from './auth.queries.js';

/** The workspaces of a credential: an app token's own, or all of a signed-in account. */
@Controller()
export class AuthTeamsController {
  constructor(
    private readonly db: Db,
    private readonly publicUrl: PublicUrl,
  ) {}

  @RpcMethod('auth.teams.list', { core: false })
  @RequireScope(null)
  @RateTier(2)
  async list(@CallerOf() caller: Caller, @RpcArgs() args: AuthTeamsListArgs): Promise<Answer> {
    const rows = await this.db.read<{ id: string; name: string; icon: string | null; createdAt: number }>(TEAMS, [
      caller.userId,
      caller.kind === 'jwt' ? null : caller.workspaceId,
      ...keyOfCursor(args.cursor),
      args.limit + 1,
    ]);
    const next = rows[args.limit];
    return {
      teams: rows.slice(0, args.limit).map(({ id, name, icon }) => ({
        id,
        name,
        ...(args.include_icon ? { icon: teamIcon({ id, icon }, this.publicUrl.base) } : {}),
      })),
      ...pageEnd(next && encodeCursor('auth_team', `${next.createdAt}:${next.id}`)),
    };
  }
}
