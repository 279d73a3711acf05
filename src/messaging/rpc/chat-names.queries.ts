import { statement } from '../../kernel/database/statement.js';

/* Hand-written: names of many kinds of things in one statement. */

/** The apps of a tenant, by name and id. */
export const APP_NAMES = statement(
  'chat_app_names',
  `SELECT a.id, a.name FROM workspaces w JOIN apps a ON a.workspace_id = w.id WHERE w.tenant_id = $1 AND w.deleted_at IS NULL`,
);

/** What a tenant's deliveries go to, by id and address: subscriptions, sockets, commands, apps for their interactions. */
export const TARGET_NAMES_OF_TENANT = statement(
  'chat_target_names',
  `SELECT id, url FROM event_targets WHERE tenant_id = $1
   UNION ALL
   SELECT c.id, c.url FROM workspaces w JOIN slash_commands c ON c.workspace_id = w.id WHERE w.tenant_id = $1
   UNION ALL
   SELECT a.id, a.interactivity_url FROM workspaces w JOIN apps a ON a.workspace_id = w.id WHERE w.tenant_id = $1`,
);
