import { statement } from '../../kernel/database/statement.js';
import type { StoredClock } from '../../tenants/copies/sandbox-copies.js';

/* Hand-written: pools are shown with counts of their sandboxes, which change by other statements. */

/** A pool as it is stored. */
export interface StoredPool extends Record<string, unknown> {
  readonly id: string;
  readonly name: string;
  readonly owner: string | null;
  readonly snapshot: string;
  readonly clock: StoredClock;
  readonly size: number;
  readonly refill: boolean;
  readonly ttlSeconds: number | null;
  readonly urls: 'server' | 'vendor';
  readonly idSpace: 'server' | 'own';
  readonly deterministic: boolean;
  readonly error: string | null;
  readonly createdAt: Date;
}

/** With how many of its sandboxes there are. */
export interface PoolRow extends StoredPool {
  readonly ready: number;
  /** Those that are still to be made. */
  readonly making: number;
  /** Those that were claimed and are still there. */
  readonly claimed: number;
}

const MISSING = `CASE WHEN p.refill THEN greatest(p.size - n.ready, 0) ELSE p.to_make END`;

const COLUMNS = `p.id, p.name, p.owner, p.snapshot, p.clock, p.size, p.refill, p.ttl_seconds AS "ttlSeconds", p.urls, p.id_space AS "idSpace",
   p.deterministic, p.error, p.created_at AS "createdAt"`;

const POOLS = `
  SELECT ${COLUMNS}, n.ready, ${MISSING} AS making, n.claimed
  FROM pools p, LATERAL (
    SELECT (count(*) FILTER (WHERE s.pool_role = 'ready'))::int AS ready,
           (count(*) FILTER (WHERE s.pool_role IS NULL))::int AS claimed
    FROM sandboxes s WHERE s.pool_id = p.id) n`;

/** By id or name ($1), of one owner or of all (null). */
const NAMED = 'WHERE (p.id = $1 OR p.name = $1) AND ($2::text IS NULL OR p.owner = $2)';

export const POOL = statement('pools_one', `${POOLS} ${NAMED}`);

/** The same for a claim, which asks for no counts. */
export const POOL_TO_CLAIM = statement('pools_to_claim', `SELECT ${COLUMNS} FROM pools p ${NAMED}`);

export const PAGE_OF_POOLS = statement(
  'pools_page',
  `${POOLS} WHERE ($1::text IS NULL OR p.owner = $1)
     AND ($2::text IS NULL OR (p.created_at, p.id) >= (SELECT c.created_at, c.id FROM pools c WHERE c.id = $2))
   ORDER BY p.created_at, p.id LIMIT $3`,
);

/** The pools for which sandboxes are to be made, those with the fewest first. */
export const LACKING = statement(
  'pools_lacking',
  `SELECT p.id, p.id_space AS "idSpace", ${MISSING} AS missing FROM pools p, LATERAL (
     SELECT count(*)::int AS ready FROM sandboxes s WHERE s.pool_id = p.id AND s.pool_role = 'ready') n
   WHERE ${MISSING} > 0 ORDER BY n.ready, p.created_at`,
);

/** From here to the end of the transaction pools are made and changed one after the other. */
export const HOLD_POOLS = statement('pools_hold', 'SELECT pg_advisory_xact_lock(7430248)');

/** How many pools there are, and how many sandboxes are still to be made for those beside $1. */
export const COUNT_POOLS = statement(
  'pools_count',
  `SELECT count(*)::int AS pools, coalesce(sum(${MISSING}) FILTER (WHERE p.id IS DISTINCT FROM $1), 0)::int AS missing
   FROM pools p, LATERAL (
     SELECT count(*)::int AS ready FROM sandboxes s WHERE s.pool_id = p.id AND s.pool_role = 'ready') n`,
);

/**
 * Returns no row if its name is taken. Parameters: name, owner, snapshot, clock, size, refill, life in seconds, URLs, whose ids, whether
 * calls repeat themselves.
 */
export const INSERT_POOL = statement(
  'pools_insert',
  `INSERT INTO pools (name, owner, snapshot, clock, size, refill, to_make, ttl_seconds, urls, id_space, deterministic)
   VALUES ($1, $2, $3, $4::jsonb, $5, $6, CASE WHEN $6 THEN 0 ELSE $5 END, $7, $8, $9, $10)
   ON CONFLICT (name) DO NOTHING RETURNING id`,
);

/**
 * Sets size ($2) and refill ($3) where they are given. Without refill a larger pool is filled up once; one that stops to
 * refill makes no more.
 */
export const CHANGE_POOL = statement(
  'pools_change',
  `UPDATE pools SET size = coalesce($2::int, size), refill = coalesce($3::boolean, refill), error = NULL,
     to_make = CASE
       WHEN coalesce($3::boolean, refill) OR (refill AND $3 IS NOT NULL) THEN 0
       ELSE greatest(least(to_make + coalesce($2::int, size) - size, coalesce($2::int, size)), 0) END
   WHERE id = $1 RETURNING size`,
);

/** Those beyond its size are deleted soon, and belong to it no more. */
export const TRIM_POOL = statement(
  'pools_trim',
  `UPDATE sandboxes SET pool_id = NULL, pool_role = 'surplus', expires_at = now()
   WHERE tenant_id IN (
     SELECT tenant_id FROM sandboxes WHERE pool_id = $1 AND pool_role = 'ready' ORDER BY tenant_id OFFSET $2
     FOR UPDATE SKIP LOCKED)`,
);

/** What nobody claimed is deleted soon, with the pool's own copy. */
export const RELEASE_POOL = statement(
  'pools_release',
  `UPDATE sandboxes SET pool_id = NULL, pool_role = 'surplus', expires_at = now()
   WHERE pool_id = $1 AND pool_role IS NOT NULL`,
);

export const SET_POOL_ERROR = statement(
  'pools_set_error',
  'UPDATE pools SET error = $2 WHERE id = $1 AND error IS DISTINCT FROM $2',
);
