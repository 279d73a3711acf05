import { intoBacklog } from '../../messaging/search/search-backlog.queries.js';
import { statement } from '../../kernel/database/statement.js';
import { APP_SECRETS, appColumns } from '../../messaging/access/apps-access.queries.js';

/* Hand-written: rows are copied from tenant to tenant as sets, over tables that are found at run time. */

/** What is not copied: credentials, which are made anew, and names that are in use. Tokens say who consented to what. */
const NOT_READ = ['api_keys', 'oauth_tokens', 'organization_url_keys', 'release_access_keys'];
const NOT_COPIED = ['tokens', ...NOT_READ];

/**
 * Tables in the order of insertion; columns that refer to later tables are set afterwards, where their constraint
 * cannot wait for the end of the transaction.
 */
export const TABLES = statement(
  'copies_tables',
  `SELECT t.name, t.keys,
     (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
      WHERE a.attrelid = t.name::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = '') AS columns,
     coalesce((SELECT array_agg(a.attname::text) FROM pg_index x
      JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[0]
      WHERE x.indrelid = t.name::regclass AND x.indisunique AND NOT x.indisprimary AND x.indnkeyatts = 1
        AND a.atttypid = 'text'::regtype), '{}') AS "unique",
     coalesce((SELECT array_agg(a.attname::text) FROM pg_constraint c
      JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
      JOIN sandbox_tables o ON o.owner IS NOT NULL AND o.name::regclass = c.confrelid
      WHERE c.contype = 'f' AND NOT c.condeferrable AND c.conrelid = t.name::regclass AND array_length(c.conkey, 1) = 1 AND o.position >= t.position), '{}') AS later
   FROM sandbox_tables t WHERE t.owner IS NOT NULL AND NOT (t.name = ANY('{${NOT_COPIED.join(',')}}')) ORDER BY t.position`,
);

/** References that can wait are checked at the end. */
export const DEFER = statement('copies_defer', 'SET CONSTRAINTS ALL DEFERRED');

/** A table whose rows are copied; names as the catalog has them. */
export interface CopiedTable extends Record<string, unknown> {
  readonly name: string;
  readonly keys: string[];
  readonly columns: string[];
  /** Columns whose values are unique over all tenants, besides the primary key. */
  readonly unique: string[];
  /** References to rows that come later. */
  readonly later: string[];
}

/**
 * Inserts rows of JSON lists, one for each table. References are checked at the end, so the order says nothing.
 * @param isWhole there are no further rows: references to what comes later need not wait
 */
export function insertRowsText(tables: readonly CopiedTable[], isWhole: boolean): string {
  const inserts = tables.map(({ name, columns, later }, i) => {
    const into = columns.map((column) => `"${column}"`).join(', ');
    const waits = (column: string): boolean => !isWhole && later.includes(column);
    const values = columns.map((column) => (waits(column) ? 'NULL' : `"${column}"`)).join(', ');
    return `t${i} AS (INSERT INTO ${name} (${into}) SELECT ${values} FROM jsonb_populate_recordset(NULL::${name}, $${i + 1}::jsonb))`;
  });
  return `WITH ${inserts.join(', ')} SELECT`;
}

/** Sets the references that waited, by rows of a JSON list. */
export function setLaterText({ name, keys, later }: CopiedTable): string {
  const sets = later.map((column) => `"${column}" = s."${column}"`).join(', ');
  const same = keys.map((key) => `x."${key}" = s."${key}"`).join(' AND ');
  return `UPDATE ${name} x SET ${sets} FROM jsonb_populate_recordset(NULL::${name}, $1::jsonb) s WHERE ${same}`;
}

/** A snapshot is locked while it is read. */
export const HOLD_SNAPSHOT = statement(
  'copies_hold_snapshot',
  `SELECT s.tenant_id AS "tenantId", s.epoch, s.clock, sb.id_key AS "idKey", sb.random_seed AS "randomSeed", sb.owner, coalesce(sb.copied_from, sb.tenant_id) AS root,
          w.id AS "workspaceId", w.name, w.creator_id AS "adminId"
   FROM snapshots s JOIN sandboxes sb ON sb.tenant_id = s.tenant_id
   JOIN workspaces w ON w.tenant_id = s.tenant_id AND w.deleted_at IS NULL
   WHERE s.id = $1 FOR KEY SHARE OF s`,
);

/** Copies of one sandbox are made one after the other. */
export const LOCK_ROOT = statement('copies_lock_root', 'SELECT pg_advisory_xact_lock(7430243, $1::integer)');

export const COUNT_COPIES = statement(
  'copies_count',
  'SELECT count(*)::int AS count FROM sandboxes WHERE copied_from = $1',
);

export const SET_COPIED_FROM = statement(
  'copies_set_copied_from',
  'UPDATE sandboxes SET copied_from = $2, clock_sign_with = $3 WHERE tenant_id = $1',
);

/**
 * How many rows a copy has: those that were copied ($2), and the credentials that it was given instead of others. A
 * first reset would count them table by table otherwise.
 */
export const SET_BASELINE_ROWS = statement(
  'copies_set_baseline_rows',
  `UPDATE sandboxes SET baseline_rows = $2::bigint
     + (SELECT count(*) FROM tokens r JOIN workspaces w ON w.id = r.workspace_id WHERE w.tenant_id = $1)
     ${NOT_READ.map((table) => `+ (SELECT count(*) FROM ${table} r JOIN organizations o ON o.id = r.organization_id WHERE o.tenant_id = $1)`).join(' ')}
   WHERE tenant_id = $1`,
);

export const INSERT_TENANT = statement(
  'copies_insert_tenant',
  'INSERT INTO tenants (joinable) VALUES (false) RETURNING id',
);

/** Parameters: tenant, epoch. */
export const ROWS_OF_STATE = statement(
  'copies_rows_of_state',
  `SELECT t.name AS "table", r.id, r.value
   FROM sandbox_tables t CROSS JOIN LATERAL sandbox_rows_at($1, t.name, $2) r
   WHERE t.owner IS NOT NULL AND NOT (t.name = ANY('{${NOT_READ.join(',')}}'))`,
);

/** The search index is rebuilt after the messages. Parameter: the workspace. */
export const INDEX_MESSAGES = statement(
  'copies_index_messages',
  `WITH m AS (
     SELECT m.conversation_id, m.ts FROM conversations c JOIN messages m ON m.conversation_id = c.id WHERE c.workspace_id = $1)
   ${intoBacklog('m', '$1')}`,
);

/** Bytes of files. Parameters: the new workspace, the old one. */
export const COPY_CONTENTS = statement(
  'copies_contents',
  `INSERT INTO file_contents (workspace_id, hash, bytes)
   SELECT $1, c.hash, c.bytes FROM file_contents c
   WHERE c.workspace_id = $2 AND c.hash IN (SELECT f.content_hash FROM files f WHERE f.workspace_id = $1)`,
);

/** The same of the tracker. Parameters: the new organization, the old one's tenant. */
export const COPY_TRACKER_CONTENTS = statement(
  'copies_tracker_contents',
  `INSERT INTO tracker_file_contents (organization_id, hash, bytes)
   SELECT $1::uuid, c.hash, c.bytes FROM organizations o JOIN tracker_file_contents c ON c.organization_id = o.id
   WHERE o.tenant_id = $2 AND c.hash IN (SELECT f.content_hash FROM tracker_files f WHERE f.organization_id = $1::uuid)`,
);

export const URL_KEY = statement(
  'copies_url_key',
  `INSERT INTO organization_url_keys (url_key, organization_id)
   SELECT o.url_key, o.id FROM organizations o WHERE o.id = $1::uuid`,
);

export const APPS_OF_COPY = statement(
  'copies_apps',
  `SELECT ${appColumns('a')}, a.is_default AS "isDefault" FROM apps a WHERE a.workspace_id = $1 AND a.home_id IS NULL
   ORDER BY a.is_default DESC, a.created_at, a.id`,
  APP_SECRETS,
);

/** The names in answers: people, channels, teams. */
export const NAMES_OF_COPY = statement(
  'copies_names',
  `SELECT 'channel' AS kind, c.name, c.id, NULL AS "trackerId" FROM conversations c
   WHERE c.workspace_id = $1 AND c.type IN ('public', 'private')
   UNION ALL
   SELECT 'user', u.name, u.id, t.id::text FROM users u
   LEFT JOIN tracker_users t ON t.account_id = u.id AND t.organization_id = $2::uuid
   WHERE u.workspace_id = $1 AND NOT u.is_bot AND u.deleted_at IS NULL
   UNION ALL
   SELECT 'team', t.key, t.id::text, NULL FROM teams t WHERE t.organization_id = $2::uuid AND t.archived_at IS NULL`,
);

/** The objects that refs name, with the URLs and secrets of webhooks. */
export const REFS_OF_COPY = statement(
  'copies_refs',
  `SELECT r.ref, r.thing, coalesce(e.url, t.url) AS url, coalesce(e.secret, t.secret) AS secret
   FROM seed_refs r LEFT JOIN event_targets e ON e.id = r.thing ->> 'id'
   LEFT JOIN tracker_webhooks t ON NOT (r.thing ? 'identifier') AND t.id::text = r.thing ->> 'id'
   WHERE r.tenant_id = $1 ORDER BY r.ref`,
  { opens: ['secret'] },
);
