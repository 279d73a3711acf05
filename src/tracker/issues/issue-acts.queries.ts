import { statement } from '../../kernel/database/statement.js';

/* Hand-written: what people call things, over several tables. */

/** A team ($2: key or name) of an organization ($1). */
export const TEAM_NAMED = statement(
  'tracker_act_team',
  `SELECT id FROM teams WHERE organization_id = $1::uuid AND archived_at IS NULL AND (key = upper($2) OR name = $2)
   ORDER BY key = upper($2) DESC LIMIT 1`,
);

/** A state ($3) of a team ($2) of an organization ($1). */
export const STATE_NAMED = statement(
  'tracker_act_state',
  `SELECT id FROM workflow_states WHERE organization_id = $1::uuid AND team_id = $2::uuid AND lower(name) = lower($3)
     AND archived_at IS NULL LIMIT 1`,
);

/** A label ($3) of a team ($2), or of its whole organization ($1). */
export const LABEL_NAMED = statement(
  'tracker_act_label',
  `SELECT id FROM issue_labels WHERE organization_id = $1::uuid AND (team_id = $2::uuid OR team_id IS NULL)
     AND lower(name) = lower($3) ORDER BY team_id IS NULL LIMIT 1`,
);

/** A cycle ($3: its number) of a team ($2) of an organization ($1). */
export const CYCLE_NAMED = statement(
  'tracker_act_cycle',
  'SELECT id FROM cycles WHERE organization_id = $1::uuid AND team_id = $2::uuid AND number::text = $3 LIMIT 1',
);

export const PROJECT_NAMED = statement(
  'tracker_act_project',
  'SELECT id FROM projects WHERE organization_id = $1::uuid AND name = $2 ORDER BY created_at, id LIMIT 1',
);

/** A user by display name, name, e-mail, or the id that it has in the chat. */
export const USER_NAMED = statement(
  'tracker_act_user',
  `SELECT id FROM tracker_users WHERE organization_id = $1::uuid
     AND (display_name = $2 OR account_id = $2 OR email = $2 OR name = $2)
   ORDER BY display_name = $2 DESC, account_id = $2 DESC, email = $2 DESC LIMIT 1`,
);

/** The issue that a document of the tenant ($1) called $2. */
export const ISSUE_OF_REF = statement(
  'tracker_act_ref',
  `SELECT thing ->> 'id' AS id FROM seed_refs WHERE tenant_id = $1 AND ref = $2 AND thing ? 'identifier'`,
);
