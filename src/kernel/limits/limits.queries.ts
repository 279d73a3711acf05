import { sqlNowMicros } from '../clock/clock.js';
import { statement, type Statement } from '../database/statement.js';

/* Hand-written: every call takes from an allowance; one statement judges a batch of takes under its locks. */

// One upsert judges a whole batch: one lock per row, taken in the order of the keys, so that two batches never
// deadlock. ON CONFLICT sees of its input only the row it could not insert, so `place` leads from there to the arrays
// of the batch. The decision is written once and used twice in its statement: starting from nothing for a new key, and
// from the locked row otherwise. OFFSET 0 keeps the planner from evaluating a step once for each use.

/** Slice [from, till] of the batch's costs that belongs to one key: what of `available` they leave. */
const left = (available: string, costs: string): string => `
  CASE WHEN from_ < till THEN rate_left(${available}, ${costs}[from_:till])
       WHEN ${costs}[from_] <= 0 OR ${costs}[from_] <= ${available} + 1e-6 THEN ${available} - ${costs}[from_]
       ELSE ${available} END`;

/**
 * `s` names the columns of the initial state; $5 has one entry more than there are keys. A refused take passes a long
 * window on unchanged, so that nothing of it is written.
 */
const decideWindow = (s: Record<'at' | 'upto' | 'base' | 'total', string>, place: string, costs: string): string => `
  SELECT CASE WHEN took = 0 AND x = 0 THEN at WHEN took = 0 THEN at[x + 1:] WHEN merges THEN at[x + 1:size - 1] || t ELSE at[x + 1:] || t END AS at,
         CASE WHEN took = 0 AND x = 0 THEN upto WHEN took = 0 THEN upto[x + 1:] WHEN merges THEN upto[x + 1:size - 1] || total + took
              ELSE upto[x + 1:] || total + took END AS upto,
         base, total + took AS total, t + span AS expires_at, ${place} AS place, was
  FROM (
    SELECT *, (was_free - (${left('was_free', costs)}))::bigint AS took,
           size > x AND at[size] / slot = t / slot AS merges
    FROM (
      SELECT *, total - base AS was, (lim - (total - base))::float8 AS was_free
      FROM (
        SELECT t, x, at, upto, total, span, size, from_, till,
               CASE WHEN x = 0 THEN base ELSE upto[x] END AS base,
               ($2::bigint[])[${place}] AS lim, ($4::bigint[])[${place}] AS slot
        FROM (
          SELECT *, width_bucket(t - span, at) AS x, cardinality(at) AS size
          FROM (
            SELECT ${s.at} AS at, ${s.upto} AS upto, ${s.base} AS base, ${s.total} AS total,
                   ($3::bigint[])[${place}] AS span, ($5::int[])[${place}] AS from_, ($5::int[])[${place} + 1] - 1 AS till,
                   greatest(${sqlNowMicros(`($7::bigint[])[${place}]`)}, (${s.at})[cardinality(${s.at})]) AS t
            OFFSET 0) now_
          OFFSET 0) expired
        OFFSET 0) window_
      OFFSET 0) held
    OFFSET 0) judged`;

const WINDOW_COLUMNS = 'at, upto, base, total, expires_at, place, was';

/**
 * $1 keys in order, $2 limits, $3 windows and $4 slots in microseconds, $5 where each key's costs start, and the end,
 * $6 costs, $7 clock offsets, $8 the highest cost: as many slots at most decide how long its caller has to wait.
 */
const takeWindows = (costs: string): string => `
   INSERT INTO rate_windows AS w (key, ${WINDOW_COLUMNS})
   SELECT i.key, d.*
   FROM unnest($1::text[]) WITH ORDINALITY AS i (key, place)
   CROSS JOIN LATERAL (${decideWindow(
     { at: `'{}'::bigint[]`, upto: `'{}'::bigint[]`, base: '0::bigint', total: '0::bigint' },
     'i.place::int',
     costs,
   )}) d
   ON CONFLICT (key) DO UPDATE SET (${WINDOW_COLUMNS}) = (${decideWindow(
     { at: 'w.at', upto: 'w.upto', base: 'w.base', total: 'w.total' },
     'excluded.place',
     costs,
   )})`;

const WINDOW_ANSWER = 'RETURNING place, was, base, expires_at, at[1:$8]::text AS at, upto[1:$8]::text AS upto';

export const TAKE_WINDOWS = statement('limits_take_windows', `${takeWindows('($6::float8[])')} ${WINDOW_ANSWER}`);

export interface WindowRow {
  place: number;
  was: string | number;
  base: string | number;
  expires_at: string | number;
  /** `{…}`: the oldest slots. */
  at: string;
  upto: string;
}

const decideBucket = (s: Record<'level' | 'at', string>, place: string, costs: string): string => `
  SELECT rest AS level, t AS at, t + greatest(0, ceil((capacity - rest) / refill * 1e6))::bigint AS expires_at,
         ${place} AS place, was
  FROM (
    SELECT *, ${left('was', costs)} AS rest
    FROM (
      SELECT *, least(capacity, level + (t - at) * refill / 1e6) AS was
      FROM (
        SELECT ${s.level} AS level, ${s.at} AS at, greatest(${sqlNowMicros(`($6::bigint[])[${place}]`)}, ${s.at}) AS t,
               ($2::float8[])[${place}] AS capacity, ($3::float8[])[${place}] AS refill,
               ($4::int[])[${place}] AS from_, ($4::int[])[${place} + 1] - 1 AS till
        OFFSET 0) now_
      OFFSET 0) refilled
    OFFSET 0) judged`;

const BUCKET_COLUMNS = 'level, at, expires_at, place, was';

/** $1 keys in order, $2 capacities, $3 tokens a second, $4 where each key's costs start, and the end, $5 costs, $6 clock offsets. */
const takeBuckets = (costs: string): string => `
   INSERT INTO rate_buckets AS b (key, ${BUCKET_COLUMNS})
   SELECT i.key, d.*
   FROM unnest($1::text[]) WITH ORDINALITY AS i (key, place)
   CROSS JOIN LATERAL (${decideBucket({ level: `'Infinity'::float8`, at: '0::bigint' }, 'i.place::int', costs)}) d
   ON CONFLICT (key) DO UPDATE SET (${BUCKET_COLUMNS}) = (${decideBucket(
     { level: 'b.level', at: 'b.at' },
     'excluded.place',
     costs,
   )})`;

const BUCKET_ANSWER = 'RETURNING place, was';

export const TAKE_BUCKETS = statement('limits_take_buckets', `${takeBuckets('($5::float8[])')} ${BUCKET_ANSWER}`);

export interface BucketRow {
  place: number;
  was: number;
}

/**
 * Takes that cost nothing if their proof does not hold. After the parameters of the takes come the proof of each take
 * ($`first`) and the parameters of the proofs. Each row of the answer holds a key's take and, independent of it, a
 * proof.
 */
export function takeProven(kind: 'window' | 'bucket', name: string, proof: (first: number) => string): Statement {
  const [take, answer, costs, first] =
    kind === 'window' ? [takeWindows, WINDOW_ANSWER, '$6', 9] : [takeBuckets, BUCKET_ANSWER, '$5', 7];
  return statement(
    `limits_take_${kind}_${name}`,
    `WITH proof AS MATERIALIZED (${proof(first + 1)}),
     counted AS MATERIALIZED (
       SELECT array_agg(CASE WHEN p.holds THEN a.cost ELSE 0 END ORDER BY a.n) AS costs
       FROM unnest(${costs}::float8[], $${first}::int[]) WITH ORDINALITY AS a (cost, proof, n)
       LEFT JOIN proof p ON p.n = a.proof),
     taken AS (${take('(SELECT costs FROM counted)')} ${answer})
     SELECT taken.*, p.n AS proof, p.holds FROM taken FULL JOIN proof p ON p.n = taken.place`,
  );
}

/**
 * Deletes expired rows among the next $3 keys after $1; $2 is the clock offset. Returns the last key examined, null at
 * the end. It never waits for a row, so it is never part of a deadlock.
 */
const sweep = (table: 'rate_windows' | 'rate_buckets') =>
  statement(
    `limits_sweep_${table}`,
    `WITH page AS MATERIALIZED (SELECT max(key) AS last FROM (SELECT key FROM ${table} WHERE key > $1 ORDER BY key LIMIT $3) keys),
     expired AS MATERIALIZED (
       SELECT key FROM ${table}
       WHERE key > $1 AND key <= (SELECT last FROM page) AND expires_at <= ${sqlNowMicros('$2')}
       FOR UPDATE SKIP LOCKED),
     gone AS (DELETE FROM ${table} WHERE key IN (SELECT key FROM expired) RETURNING 1)
     SELECT last, (SELECT count(*)::int FROM gone) AS deleted FROM page`,
  );

export const SWEEPS = [sweep('rate_windows'), sweep('rate_buckets')] as const;

/** $1 the key after which to read, $2 the end of the prefix, $3 the most rows. */
const heldIn = (table: 'rate_windows' | 'rate_buckets', columns: string) =>
  statement(
    `limits_held_${table}`,
    `SELECT key, ${columns} FROM ${table} WHERE key > $1 AND key < $2 ORDER BY key LIMIT $3`,
  );

export const HELD_WINDOWS = heldIn('rate_windows', 'at::text AS at, upto::text AS upto, base');
export const HELD_BUCKETS = heldIn('rate_buckets', 'level, at');

/** Rows are locked in the order of their keys, like takes. */
const forgetIn = (table: 'rate_windows' | 'rate_buckets') =>
  statement(
    `limits_forget_${table}`,
    `WITH meant AS MATERIALIZED (SELECT key FROM ${table} WHERE key = ANY($1::text[]) ORDER BY key FOR UPDATE)
     DELETE FROM ${table} WHERE key IN (SELECT key FROM meant)`,
  );

export const FORGETS = [forgetIn('rate_windows'), forgetIn('rate_buckets')] as const;
