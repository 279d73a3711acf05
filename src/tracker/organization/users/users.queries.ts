import type { Tx } from '../../../kernel/database/db.js';
import { statement } from '../../../kernel/database/statement.js';
import type { User } from '../../store/user.entity.js';

/** Hand-written: by the expression that its index has. */
const TAKEN_DISPLAY_NAME = statement(
  'tracker_taken_display_name',
  'SELECT 1 FROM tracker_users WHERE organization_id = $1 AND lower(display_name) = lower($2) AND id <> $3',
);

/** Whether another user of the organization has this name, whatever its case. */
export async function isDisplayNameTaken(tx: Tx, { organizationId, id }: User, displayName: string): Promise<boolean> {
  return (await tx.query(TAKEN_DISPLAY_NAME, [organizationId, displayName, id])).length > 0;
}
