import { statement } from '../../kernel/database/statement.js';

/* Hand-written: locks, stacks and sets of views; on the way of every modal. */

/** Rows of closed modals are deleted after this many days of real time, as a sandbox's clock may be stopped. */
const RETENTION_DAYS = 7;

export const SWEEP_BATCH = 2_000;

const COLUMNS = `v.id, v.workspace_id AS "workspaceId", v.app_id AS "appId", a.bot_id AS "botId", v.user_id AS "userId",
  v.depth, v.root_id AS "rootId", v.previous_id AS "previousId", v.content, v.entered, v.hash`;

const FROM = `FROM views v JOIN apps a ON a.workspace_id = v.workspace_id AND a.id = v.app_id`;

const LIVE = (now: string): string => `(v.type = 'home' OR v.touched_at > ${now})`;

/** Changes of one app's views wait for each other: the stack, its depth and external ids are decided one at a time. */
export const LOCK_APP = statement('chat_lock_views_of_app', 'SELECT pg_advisory_xact_lock(hashtextextended($1, 70))');

export const VIEW_BY_ID = statement(
  'chat_view',
  `SELECT ${COLUMNS} ${FROM} WHERE v.workspace_id = $1 AND v.id = $2 AND ${LIVE('$3')}`,
);

export const VIEW_BY_EXTERNAL_ID = statement(
  'chat_view_by_external_id',
  `SELECT ${COLUMNS} ${FROM} WHERE v.workspace_id = $1 AND v.external_id = $2 AND v.app_id = $4 AND ${LIVE('$3')}`,
);

export const VIEWS_OF_USER = statement(
  'chat_views_of_user',
  `SELECT ${COLUMNS} ${FROM} WHERE v.workspace_id = $1 AND v.user_id = $2 AND ($4::text IS NULL OR v.app_id = $4) AND ${LIVE('$3')}
   ORDER BY v.app_id, v.depth`,
);

export const CHANGED_SINCE = statement(
  'chat_views_changed_since',
  `SELECT ${COLUMNS}, (extract(epoch FROM v.changed_at) * 1000)::float8 AS "changedMs" ${FROM}
   WHERE v.workspace_id = $1 AND v.user_id = $2 AND v.changed_at > $4 AND ${LIVE('$3')} ORDER BY v.changed_at`,
);

export const INSERT_VIEW = statement(
  'chat_insert_view',
  `INSERT INTO views (id, workspace_id, app_id, user_id, type, depth, root_id, previous_id, external_id, content, hash, touched_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);

export const CHANGE_VIEW = statement(
  'chat_change_view',
  `UPDATE views SET external_id = $2, content = $3, entered = $4, hash = $5, changed_at = clock_timestamp() WHERE id = $1`,
);

export const ENTER_VALUES = statement('chat_enter_in_view', `UPDATE views SET entered = $2 WHERE id = $1`);

export const TOUCH_VIEWS = statement(
  'chat_touch_views',
  `UPDATE views SET touched_at = $3 WHERE app_id = $1 AND user_id = $2 AND type = 'modal'`,
);

export const REMOVE_VIEWS = statement('chat_remove_views', `DELETE FROM views WHERE id = ANY($1::text[])`);

export const TAKEN_EXTERNAL_IDS = statement(
  'chat_view_external_id_taken',
  `SELECT v.id FROM views v WHERE v.app_id = $1 AND v.external_id = $2 AND v.id <> ALL($4::text[]) AND ${LIVE('$3')}`,
);

export const FORGET_DEAD_VIEWS = statement(
  'chat_forget_dead_views_of_app',
  `DELETE FROM views v WHERE v.app_id = $1 AND (v.user_id = $2 OR v.external_id = $3) AND NOT ${LIVE('$4')}`,
);

export const SWEEP_VIEWS = statement(
  'chat_sweep_views',
  `DELETE FROM views WHERE id IN (SELECT id FROM views WHERE type = 'modal' AND changed_at < now() - interval '${RETENTION_DAYS} days' LIMIT ${SWEEP_BATCH}) RETURNING 1`,
);
