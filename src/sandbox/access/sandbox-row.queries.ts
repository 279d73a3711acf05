import { statement } from '../../kernel/database/statement.js';
import { withProducts } from '../../tenants/both-products.queries.js';

/* Hand-written: a sandbox is a join of three tables. */

/** A sandbox as it is stored. */
export interface SandboxRow {
  readonly id: string;
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly organizationId: string | null;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: string | null;
  readonly origin: 'default' | 'made' | 'provisioned';
  readonly urlKey: string | null;
  readonly primaryOwnerId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly lastCallAt: Date | null;
  readonly controlHash: string | null;
  /** 0: changes are not tracked. */
  readonly epoch: number;
  readonly baselineEpoch: number | null;
  /** The first sandbox of a line of copies, where its own caller made this one. */
  readonly copiedFrom: number | null;
  /** The name of the pool that it was claimed from. */
  readonly pool: string | null;
  /** `sandboxes.flags` */
  readonly flags: string;
}

export const SANDBOX_COLUMNS = `sb.id, sb.tenant_id AS "tenantId", w.id AS "workspaceId", o.id AS "organizationId",
  coalesce(sb.name, w.name) AS name, sb.labels, sb.owner, sb.origin, o.url_key AS "urlKey", w.creator_id AS "primaryOwnerId",
  sb.created_at AS "createdAt", sb.expires_at AS "expiresAt", sb.last_call_at AS "lastCallAt",
  sb.control_token_hash AS "controlHash", sb.epoch, sb.baseline_epoch AS "baselineEpoch",
  sb.copied_from AS "copiedFrom", (SELECT p.name FROM pools p WHERE p.id = sb.pool_id) AS pool, sb.flags`;

/** Those that wait in pools belong to nobody yet: they are found by no id, and are in no list. */
export const SANDBOX_FROM = `FROM (SELECT * FROM sandboxes WHERE pool_role IS NULL) sb
  ${withProducts('sb.tenant_id')}`;

export const SANDBOX_BY_ID = statement('sandbox_by_id', `SELECT ${SANDBOX_COLUMNS} ${SANDBOX_FROM} WHERE sb.id = $1`);

export const SANDBOX_OF_TENANT = statement(
  'sandbox_of_tenant',
  `SELECT ${SANDBOX_COLUMNS} ${SANDBOX_FROM} WHERE sb.tenant_id = $1`,
);

export const DEFAULT_SANDBOX = statement(
  'sandbox_default',
  `SELECT ${SANDBOX_COLUMNS} ${SANDBOX_FROM} WHERE sb.origin = 'default'`,
);
