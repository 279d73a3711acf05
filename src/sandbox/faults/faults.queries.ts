import { statement } from '../../kernel/database/statement.js';

/* Hand-written: one statement matches, counts and applies a fault. */

export interface FaultRow {
  readonly id: string;
  readonly on_call: { method: string; app?: string; caller?: string; where?: unknown };
  readonly fault: Record<string, unknown> & { type: string };
  readonly times: number | null;
  readonly skip: number;
  readonly probability: number | null;
  readonly random_seed: number;
  readonly seen: number;
  readonly fired: number;
  readonly created_at: Date;
}

const COLUMNS = 'id, on_call, fault, times, skip, probability, random_seed, seen, fired, created_at';

export const FAULTS = statement('faults_list', `SELECT ${COLUMNS} FROM faults WHERE tenant_id = $1 ORDER BY place`);

/** Inserts nothing if the sandbox has reached its limit ($10); run one by one. */
export const INSERT_FAULT = statement(
  'faults_insert',
  `WITH sandbox AS MATERIALIZED (UPDATE sandboxes SET has_faults = true WHERE tenant_id = $2 RETURNING tenant_id)
   INSERT INTO faults (id, tenant_id, on_call, fault, times, skip, probability, random_seed, created_at)
   SELECT $1, $2, $3::jsonb, $4::jsonb, $5, $6, $7, $8, $9 FROM sandbox
    WHERE (SELECT count(*) FROM faults WHERE tenant_id = $2) < $10::int
   RETURNING ${COLUMNS}`,
);

/** One ($2), or all of them (null); run one by one, so that a fault created meanwhile keeps its flag. */
export const DELETE_FAULTS = statement(
  'faults_delete',
  `WITH gone AS (DELETE FROM faults WHERE tenant_id = $1 AND ($2::text IS NULL OR id = $2) RETURNING id),
   sandbox AS (
     UPDATE sandboxes SET has_faults = false WHERE tenant_id = $1
        AND NOT EXISTS (SELECT FROM faults f WHERE f.tenant_id = $1 AND ($2::text IS NOT NULL AND f.id <> $2)))
   SELECT id FROM gone`,
);

export const COUNT_FAULTS = statement(
  'faults_count',
  'SELECT tenant_id, count(*)::int AS faults FROM faults WHERE tenant_id = ANY($1::bigint[]) GROUP BY tenant_id',
);

/**
 * Counts a call that matches the faults $1 of a sandbox, and returns the one that applies: the oldest that has skipped
 * enough calls, is not used up and passes its probability. The rows are locked in one order, so two calls never get a
 * single-use fault. The random choice is the same in every run: it is derived from seed and count.
 */
export const COUNT_MATCHING_CALL = statement(
  'faults_count_matching_call',
  `WITH met AS MATERIALIZED (
     SELECT id, place, seen, skip, times, fired, probability, random_seed FROM faults
      WHERE tenant_id = $2 AND id = ANY($1::text[]) ORDER BY place FOR UPDATE),
   chosen AS MATERIALIZED (
     SELECT id FROM met
      WHERE seen >= skip AND (times IS NULL OR fired < times)
        AND (probability IS NULL
             OR ('x' || substr(md5(random_seed::text || ':' || seen::text), 1, 7))::bit(28)::int / 268435456.0 < probability)
      ORDER BY place LIMIT 1)
   UPDATE faults f SET seen = f.seen + 1, fired = f.fired + CASE WHEN f.id = (SELECT id FROM chosen) THEN 1 ELSE 0 END
     FROM met WHERE f.id = met.id
   RETURNING f.id, f.fault, f.id = (SELECT id FROM chosen) AS hit`,
);
