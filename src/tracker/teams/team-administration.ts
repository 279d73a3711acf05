import type { Tx } from '../../kernel/database/db.js';
import { forbidden } from '../values/errors.js';
import { TeamMembership } from '../store/team-membership.entity.js';
import type { Team } from '../store/team.entity.js';
import type { Viewer } from '../access/viewer.js';

/**
 * Admins of the organization and owners of the team may change teams and their states (docs/reference/tracker.md#team);
 * the caller has loaded the team by its accessor.
 * @throws forbidden
 */
export async function requireAdministrator(tx: Tx, viewer: Viewer, team: Team): Promise<void> {
  if (viewer.admin) return;
  if (await tx.sql.existsBy(TeamMembership, { teamId: team.id, userId: viewer.userId, owner: true })) return;
  throw forbidden(`You need to be an admin or an owner of the team ${team.key} to manage it.`);
}
