import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db, type Tx } from '../../../kernel/database/db.js';
import { insertUnlessTaken } from '../../../kernel/database/insert-unless-taken.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { newUuid } from '../../../kernel/ids/ids.js';
import { Access } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { type EventAction, trackerEvent } from '../../events/tracker-events.js';
import { unassignInTeam } from '../../store/issues-of-teams.queries.js';
import { mutate } from '../../events/mutation.js';
import {
  brokenRule,
  duplicate,
  forbidden,
  idAlreadyUsed,
  notFound,
  teamArchived,
  unknownReference,
} from '../../values/errors.js';
import { teamUrl, webFor } from '../../values/urls.js';
import { Team } from '../../store/team.entity.js';
import { requireAdministrator } from '../team-administration.js';
import type { TeamMembershipCreateInput, TeamMembershipUpdateInput } from './memberships.inputs.js';
import { TeamMembership } from '../../store/team-membership.entity.js';

/** Who is in which team (docs/reference/tracker.md#teammembership). */
@Injectable()
export class MembershipsService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  /** @throws unknownReference; forbidden; duplicate `team membership` */
  create(viewer: Viewer, { id = newUuid(), teamId, userId, sortOrder = 0 }: TeamMembershipCreateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const team = await this.access.teams.find(viewer, teamId, tx, 'use');
      if (!team) throw unknownReference('teamId');
      const user = await this.access.users.find(viewer, userId, tx, 'use');
      if (!user) throw unknownReference('userId');
      if (team.archivedAt !== null) throw teamArchived(team.key);
      if (user.id !== viewer.userId || team.private) await requireAdministrator(tx, viewer, team);
      if (!user.active) throw brokenRule('user is suspended', 'A suspended user cannot become a member.');
      if (await tx.sql.existsBy(TeamMembership, { id })) throw idAlreadyUsed('TeamMembership', id);
      const at = this.clock.now();
      const values = { id, organizationId: viewer.organizationId, teamId: team.id, userId: user.id, sortOrder };
      const membership = await insertUnlessTaken(tx, TeamMembership, { ...values, createdAt: at, updatedAt: at });
      if (!membership) throw duplicate('team membership', user.name);
      this.record(tx, { viewer, at, team }, 'create', membership);
      return { teamMembership: membership };
    });
  }

  /** @throws notFound; forbidden for somebody else's */
  update(viewer: Viewer, id: string, { sortOrder }: TeamMembershipUpdateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const before = await this.access.memberships.forUpdate(tx, viewer, id);
      if (before.userId !== viewer.userId) throw forbidden('You can only sort your own teams.');
      if (sortOrder === undefined || sortOrder === before.sortOrder) return { teamMembership: before };
      const at = this.clock.now();
      await tx.sql.update(TeamMembership, { id: before.id }, { sortOrder, updatedAt: at });
      const membership = { ...before, sortOrder, updatedAt: at };
      const team = await tx.sql.findOneByOrFail(Team, { id: before.teamId });
      this.record(tx, { viewer, at, team }, 'update', membership, before);
      return { teamMembership: membership };
    });
  }

  /**
   * Issues stay assigned, but for those of a private team, which the user no longer sees: they change without an event.
   * @throws notFound; forbidden unless it is one's own, or the caller administers the team
   */
  delete(viewer: Viewer, id: string) {
    return mutate(this.db, viewer, async (tx) => {
      const membership = await this.access.memberships.forUpdate(tx, viewer, id);
      const { userId, teamId } = membership;
      const team = await this.access.teams.find(viewer, teamId, tx, 'change');
      if (!team) throw notFound('TeamMembership');
      if (userId !== viewer.userId) await requireAdministrator(tx, viewer, team);
      const at = this.clock.now();
      if (team.private) await unassignInTeam(tx, teamId, userId, at);
      await tx.sql.delete(TeamMembership, { id: membership.id });
      this.record(tx, { viewer, at, team }, 'remove', membership);
      return { entityId: membership.id };
    });
  }

  private record(
    tx: Tx,
    { viewer, at, team }: { viewer: Viewer; at: Date; team: Team },
    action: EventAction,
    after: TeamMembership,
    before?: TeamMembership,
  ): void {
    const web = webFor(this.publicUrl.base, viewer);
    tx.record(
      trackerEvent({
        web,
        viewer,
        type: 'TeamMembership',
        action,
        data: dataOf(after),
        previous: before && dataOf(before),
        url: teamUrl(web, viewer.urlKey, team),
        at,
        teams: [team],
      }),
    );
  }
}

/** docs/reference/realtime.md#tracker. */
function dataOf(membership: TeamMembership): Record<string, unknown> {
  const data: Record<string, unknown> = { ...membership };
  delete data['organizationId'];
  return data;
}
