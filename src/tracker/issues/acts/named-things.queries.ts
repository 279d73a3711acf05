import { statement } from '../../../kernel/database/statement.js';

/* Hand-written: what people call things, over several tables. */

/** Teams ($2: key, name or id) of an organization ($1), the likeliest first; whether they are seen is the door's to say. */
export const TEAM_NAMED = statement(
  'tracker_act_team',
  `SELECT id FROM teams WHERE organization_id = $1::uuid AND archived_at IS NULL AND (key = upper($2) OR name = $2 OR id::text = lower($2))
   ORDER BY key = upper($2) DESC, created_at, id LIMIT 250`,
);

/** A state ($3) of a team ($2) of an organization ($1). */
export const STATE_NAMED = statement(
  'tracker_act_state',
  `SELECT id FROM workflow_states WHERE organization_id = $1::uuid AND team_id = $2::uuid
     AND (lower(name) = lower($3) OR id::text = lower($3)) AND archived_at IS NULL LIMIT 1`,
);

/** A label ($3) of a team ($2), or of its whole organization ($1). */
export const LABEL_NAMED = statement(
  'tracker_act_label',
  `SELECT id FROM issue_labels WHERE organization_id = $1::uuid AND (team_id = $2::uuid OR team_id IS NULL)
     AND (lower(name) = lower($3) OR id::text = lower($3)) ORDER BY team_id IS NULL LIMIT 1`,
);

/** A cycle ($3: its number or id) of a team ($2) of an organization ($1). */
export const CYCLE_NAMED = statement(
  'tracker_act_cycle',
  `SELECT id FROM cycles WHERE organization_id = $1::uuid AND team_id = $2::uuid
     AND (number::text = $3 OR id::text = lower($3)) LIMIT 1`,
);

/** Projects by name, slug or id, likewise. */
export const PROJECT_NAMED = statement(
  'tracker_act_project',
  `SELECT id FROM projects WHERE organization_id = $1::uuid AND (name = $2 OR slug_id = $2 OR id::text = lower($2))
   ORDER BY name = $2 DESC, created_at, id LIMIT 250`,
);

/** Documents by title, slug or id, likewise. */
export const DOCUMENT_NAMED = statement(
  'tracker_act_document',
  `SELECT id FROM documents WHERE organization_id = $1::uuid AND (title = $2 OR slug_id = $2 OR id::text = lower($2))
   ORDER BY archived_at IS NULL DESC, title = $2 DESC, created_at, id LIMIT 250`,
);

/** A user by display name, name, e-mail, its id, or the one that it has in the chat. */
export const USER_NAMED = statement(
  'tracker_act_user',
  `SELECT id FROM tracker_users WHERE organization_id = $1::uuid
     AND (display_name = $2 OR account_id = $2 OR email = $2 OR name = $2 OR id::text = lower($2))
   ORDER BY display_name = $2 DESC, account_id = $2 DESC, email = $2 DESC LIMIT 1`,
);

/** The user of an application by its name, display name or id, or that of the application. */
export const APP_USER_NAMED = statement(
  'tracker_act_app',
  `SELECT id, display_name AS "displayName" FROM tracker_users WHERE organization_id = $1::uuid AND application_id IS NOT NULL AND active
     AND (lower(display_name) = lower($2) OR lower(name) = lower($2) OR id::text = lower($2) OR application_id::text = lower($2))
   ORDER BY created_at, id LIMIT 1`,
);

/** The issue that a document of the tenant ($1) called $2. */
export const ISSUE_OF_REF = statement(
  'tracker_act_ref',
  `SELECT thing ->> 'id' AS id FROM seed_refs WHERE tenant_id = $1 AND ref = $2 AND thing ? 'identifier'`,
);
