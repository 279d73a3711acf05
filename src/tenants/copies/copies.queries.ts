import { insertSessions } from '../../auth/sessions.queries.js';
import { statement } from '../../kernel/database/statement.js';
import { EVENT_TARGET_ROWS } from '../../messaging/events/event-targets.queries.js';
import { insertTokens } from '../../messaging/provisioning/bulk-setup.queries.js';
import { appsOfCopy, channelsOfCopy } from '../../messaging/provisioning/copied-content.queries.js';
import {
  CREDENTIAL_TABLES as TOKEN_TABLES,
  setClientSecrets as setSecretsOfApps,
} from '../../messaging/provisioning/credentials.queries.js';
import { USER_ROWS, WORKSPACE_ROWS } from '../../messaging/store/rows-to-join.queries.js';
import {
  CREDENTIAL_TABLES as KEY_TABLES,
  setClientSecrets as setSecretsOfApplications,
} from '../../tracker/credentials.queries.js';
import { applicationsOfCopy } from '../../tracker/oauth/seeds.queries.js';
import { teamsOfCopy } from '../../tracker/provisioning/copied-content.queries.js';
import { insertKeys } from '../../tracker/provisioning/setup.queries.js';
import { TRACKER_USER_ROWS } from '../../tracker/store/rows-to-join.queries.js';
import { TRACKER_WEBHOOK_ROWS } from '../../tracker/webhooks/tracker-dialect.queries.js';
import type { KnownApp } from '../seeds/known-objects.js';

/* Hand-written: rows are copied from tenant to tenant as sets, over tables that are found at run time. */

/** What is not copied: credentials, which are made anew, and names that are in use. Tokens are read, as they say who consented to what. */
const NOT_COPIED = [...TOKEN_TABLES, ...KEY_TABLES];

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
   JOIN ${WORKSPACE_ROWS} w ON w.tenant_id = s.tenant_id AND w.deleted_at IS NULL
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

export const INSERT_TENANT = statement(
  'copies_insert_tenant',
  'INSERT INTO tenants (joinable) VALUES (false) RETURNING id',
);

/** Parameters: tenant, epoch. */
export const ROWS_OF_STATE = statement(
  'copies_rows_of_state',
  `SELECT t.name AS "table", r.id, r.value
   FROM sandbox_tables t CROSS JOIN LATERAL sandbox_rows_at($1, t.name, $2) r
   WHERE t.owner IS NOT NULL AND NOT (t.name = ANY('{${KEY_TABLES.join(',')}}'))`,
);

const list = (rows: string): string => `coalesce((SELECT json_agg(row_to_json(x)) FROM (${rows}) x), '[]')`;

/**
 * What answers name of a copy, with its apps and applications. Secrets are as they are stored. Parameters: tenant,
 * workspace, organization.
 */
export const CONTENT_OF_COPY = statement(
  'copies_content',
  `SELECT ${list(appsOfCopy('$2'))} AS apps,
   ${list(channelsOfCopy('$2'))} AS channels,
   ${list(`SELECT u.name, u.id, t.id AS "trackerId" FROM ${USER_ROWS} u
      LEFT JOIN ${TRACKER_USER_ROWS} t ON t.account_id = u.id AND t.organization_id = $3::uuid
      WHERE u.workspace_id = $2 AND NOT u.is_bot AND u.deleted_at IS NULL`)} AS people,
   ${list(teamsOfCopy('$3::uuid'))} AS teams,
   ${list(applicationsOfCopy('$3::uuid'))} AS applications,
   ${list(`SELECT r.ref, r.thing, coalesce(e.url, t.url) AS url, coalesce(e.secret, t.secret) AS secret
      FROM seed_refs r LEFT JOIN ${EVENT_TARGET_ROWS} e ON e.id = r.thing ->> 'id'
      LEFT JOIN ${TRACKER_WEBHOOK_ROWS} t ON NOT (r.thing ? 'identifier') AND t.id::text = r.thing ->> 'id'
      WHERE r.tenant_id = $1 ORDER BY r.ref`)} AS refs,
   EXISTS (SELECT FROM script_entries s WHERE s.tenant_id = $1) AS "hasScript"`,
);

interface Named {
  readonly name: string;
  readonly id: string;
}

export interface ContentOfCopy extends Record<string, unknown> {
  readonly apps: readonly KnownApp[];
  readonly channels: readonly Named[];
  readonly people: readonly (Named & { readonly trackerId: string | null })[];
  readonly teams: readonly Named[];
  readonly applications: readonly (Named & {
    readonly clientId: string;
    readonly webhookSecret: string | null;
    /** What was authorized last; null: nobody has authorized it. */
    readonly newest: {
      readonly userId: string;
      readonly grantedById: string | null;
      readonly actor: 'user' | 'app';
      readonly scopes: string[];
    } | null;
  })[];
  /** The objects that refs name, with the URLs and secrets of webhooks. */
  readonly refs: readonly {
    readonly ref: string;
    readonly thing: { readonly id?: string };
    readonly url: string | null;
    readonly secret: string | null;
  }[];
  readonly hasScript: boolean;
}

/**
 * Stores credentials. Parameters: workspace, tokens, organization, API keys, now, what ids are drawn from; sessions
 * ($7 to $11); hashes of client secrets by the ids of apps and applications, the admin and the password's hash or null.
 */
export const OPEN_COPY = statement(
  'copies_open',
  `WITH new_tokens AS (${insertTokens('$1', '$2')}),
   new_keys AS (${insertKeys('$3', '$4', '$5', '$6')}),
   new_sessions AS (${insertSessions('$7', '$8', '$9', '$10', '$11')}),
   new_secrets AS (SELECT * FROM jsonb_to_recordset($12::jsonb) AS s (id text, hash text)),
   app AS (${setSecretsOfApps('$1', 'new_secrets')}),
   application AS (${setSecretsOfApplications('new_secrets')})
   UPDATE accounts SET password_hash = $14 WHERE id = $13 AND $14::text IS NOT NULL`,
);
