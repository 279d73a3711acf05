import { statement } from '../../kernel/database/statement.js';

/* Hand-written: many names and ids are looked up at once. */

/** For each name in use, its tenant if that is deleted already: its rows are then deleted at once. */
export const TAKEN_IDS = statement(
  'seed_taken_ids',
  `WITH taken AS (
     SELECT u.id, u.workspace_id FROM users u WHERE u.id = ANY($1::text[])
     UNION ALL SELECT c.id, c.workspace_id FROM conversations c WHERE c.id = ANY($1::text[])
     UNION ALL SELECT a.id, a.workspace_id FROM apps a WHERE a.id = ANY($1::text[])
     UNION ALL SELECT a.client_id, a.workspace_id FROM apps a WHERE a.client_id = ANY($1::text[])
     UNION ALL SELECT w.id, w.id FROM workspaces w WHERE w.id = ANY($1::text[]))
   SELECT t.id, CASE WHEN w.deleted_at IS NOT NULL THEN w.tenant_id END AS "endedTenant"
   FROM taken t JOIN workspaces w ON w.id = t.workspace_id
   UNION ALL
   SELECT a.id, NULL FROM accounts a WHERE a.id = ANY($1::text[]) AND (a.deactivated_at IS NULL OR a.email IS NOT NULL)`,
);
