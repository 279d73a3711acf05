import { BadRequestException, Injectable } from '@nestjs/common';
import { In, IsNull } from 'typeorm';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newUuid } from '../../kernel/ids/ids.js';
import type { Viewer } from '../access/viewer.js';
import { User } from '../store/user.entity.js';
import { TeamMembership } from '../store/team-membership.entity.js';
import { Team } from '../store/team.entity.js';
import { isUuid } from '../values/uuid.js';
import { applicationEvent } from '../events/application-events.js';
import type { ApplicationTeamsBody } from './applications.dto.js';
import { lockOrganization } from './authorizations.js';

/** The teams that an application's own user belongs to (docs/reference/tracker-oauth.md#actors). */
@Injectable()
export class ApplicationTeams {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** @throws RestError 404 application_not_found, team_not_found; BadRequestException */
  async set(viewer: Viewer, id: string, { allPublicTeams = false, teamIds }: ApplicationTeamsBody) {
    if (allPublicTeams === (teamIds !== undefined))
      throw new BadRequestException(['either allPublicTeams must be true, or teamIds must be given']);
    const applicationId = id.toLowerCase();
    if (!isUuid(applicationId)) throw new RestError(404, 'application_not_found');
    const { organizationId, tenantId } = viewer;
    return this.db.write(async (tx) => {
      await lockOrganization(tx, organizationId);
      const user = await tx.sql.findOneBy(User, { organizationId, applicationId, active: true });
      if (!user) throw new RestError(404, 'application_not_found');
      const before = (await tx.sql.findBy(TeamMembership, { userId: user.id })).map(({ teamId }) => teamId);
      const after = await this.teamsOf(tx, viewer, teamIds);
      const added = after.filter((teamId) => !before.includes(teamId));
      const removed = before.filter((teamId) => !after.includes(teamId));
      const at = this.clock.now();
      if (removed.length > 0) await tx.sql.delete(TeamMembership, { userId: user.id, teamId: In(removed) });
      for (const teamId of added) {
        const times = { createdAt: at, updatedAt: at };
        await tx.sql.insert(TeamMembership, { id: newUuid(), organizationId, teamId, userId: user.id, ...times });
      }
      await tx.sql.update(User, { id: user.id }, { allPublicTeams });
      if (added.length + removed.length > 0 || user.allPublicTeams !== allPublicTeams)
        tx.record(
          applicationEvent(
            'PermissionChange',
            'teamAccessChanged',
            { organizationId, tenantId, applicationId, at },
            {
              appUserId: user.id,
              addedTeamIds: added,
              removedTeamIds: removed,
              canAccessAllPublicTeams: allPublicTeams,
            },
          ),
        );
      return { allPublicTeams, teamIds: after };
    });
  }

  /** @param teamIds undefined: all public ones */
  private async teamsOf(tx: Tx, viewer: Viewer, teamIds: readonly string[] | undefined): Promise<string[]> {
    const { organizationId, hiddenTeamIds } = viewer;
    if (teamIds === undefined) {
      const found = await tx.sql.findBy(Team, { organizationId, private: false, archivedAt: IsNull() });
      return found.map(({ id }) => id);
    }
    const wanted = [...new Set(teamIds.map((id) => id.toLowerCase()))];
    const known = wanted.filter((id) => isUuid(id) && !hiddenTeamIds.includes(id));
    const found = await tx.sql.findBy(Team, { organizationId, id: In(known) });
    if (found.length < wanted.length) throw new RestError(404, 'team_not_found');
    return wanted;
  }
}
