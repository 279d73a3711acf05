import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { wireRole } from '../wire/control-wire.js';
import type { Identity } from '../access/identity.js';
import type { User, Role } from '../store/user.entity.js';
import { toWireProfile } from '../wire/user-wire.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { ME } from './me.queries.js';

type MeRow = User & { teamName: string; teams: { team_id: string; name: string; role: Role }[] };

/** The caller's user in every workspace (docs/reference/control-plane.md#accounts). */
@ApiTags('auth')
@Controller('auth')
export class MeController {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get('me')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'Who the caller is' })
  async me(@RestCaller() caller: Identity): Promise<object> {
    const [me] = await this.db.read<MeRow & { [column: string]: unknown }>(ME, [caller.workspaceId, caller.userId]);
    if (!me) throw new RestError(401, 'account_inactive');
    const view = { publicUrl: this.publicUrl.base, now: this.clock.nowSeconds(), withEmail: true };
    return {
      user_id: me.id,
      user: me.name,
      team_id: me.workspaceId,
      team: me.teamName,
      email: me.email,
      real_name: me.profile.real_name ?? '',
      is_admin: me.role !== 'member',
      is_owner: me.role === 'owner' || me.role === 'primary_owner',
      is_bot: me.isBot,
      ...(caller.kind === 'bot' ? { bot_id: caller.app?.botId } : {}),
      ...(caller.app ? { app_id: caller.app.id } : {}),
      profile: toWireProfile(me, view),
      teams: me.teams.map((team) => ({ ...team, role: wireRole(team.role) })),
    };
  }
}
