import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { forbidden } from '../values/errors.js';
import type { Team } from './team.entity.js';
import type { Viewer } from '../access/viewer.js';

const OWNS = statement(
  'tracker_team_owner',
  `SELECT 1 FROM team_memberships m WHERE m.team_id = $1::uuid AND m.user_id = $2::uuid AND m.owner`,
);

/**
 * Teams and their states are changed by admins of the organization and by owners of the team
 * (docs/reference/tracker.md#team); the team itself was found by a door before.
 * @throws forbidden
 */
export async function requireAdministrator(tx: Tx, viewer: Viewer, team: Team): Promise<void> {
  if (viewer.admin || (await tx.query(OWNS, [team.id, viewer.userId])).length > 0) return;
  throw forbidden(`You need to be an admin or an owner of the team ${team.key} to manage it.`);
}
