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

/** The position of a parameter of the takes in their statement. */
type Place = (parameter: number) => string;

const alone: Place = (parameter) => `$${parameter}`;

/**
 * `s` names the columns of the initial state; $5 has one entry more than there are keys. A refused take passes a long
 * window on unchanged, so that nothing of it is written.
 */
const decideWindow = (
  s: Record<'at' | 'upto' | 'base' | 'total', string>,
  place: string,
  costs: string,
  at: Place,
): string => `
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
               (${at(2)}::bigint[])[${place}] AS lim, (${at(4)}::bigint[])[${place}] AS slot
        FROM (
          SELECT *, width_bucket(t - span, at) AS x, cardinality(at) AS size
          FROM (
            SELECT ${s.at} AS at, ${s.upto} AS upto, ${s.base} AS base, ${s.total} AS total,
                   (${at(3)}::bigint[])[${place}] AS span, (${at(5)}::int[])[${place}] AS from_, (${at(5)}::int[])[${place} + 1] - 1 AS till,
                   greatest(${sqlNowMicros(`(${at(7)}::bigint[])[${place}]`)}, (${s.at})[cardinality(${s.at})]) AS t
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
const takeWindows = (costs: string, at: Place): string => `
   INSERT INTO rate_windows AS w (key, ${WINDOW_COLUMNS})
   SELECT i.key, d.*
   FROM unnest(${at(1)}::text[]) WITH ORDINALITY AS i (key, place)
   CROSS JOIN LATERAL (${decideWindow(
     { at: `'{}'::bigint[]`, upto: `'{}'::bigint[]`, base: '0::bigint', total: '0::bigint' },
     'i.place::int',
     costs,
     at,
   )}) d
   ON CONFLICT (key) DO UPDATE SET (${WINDOW_COLUMNS}) = (${decideWindow(
     { at: 'w.at', upto: 'w.upto', base: 'w.base', total: 'w.total' },
     'excluded.place',
     costs,
     at,
   )})`;

const WINDOW_ANSWER = 'RETURNING place, was, base, expires_at, at[1:$8]::text AS at, upto[1:$8]::text AS upto';

export const TAKE_WINDOWS = statement(
  'limits_take_windows',
  `${takeWindows('($6::float8[])', alone)} ${WINDOW_ANSWER}`,
);

export interface WindowRow {
  place: number;
  was: string | number;
  base: string | number;
  expires_at: string | number;
  /** `{…}`: the oldest slots. */
  at: string;
  upto: string;
}

const decideBucket = (s: Record<'level' | 'at', string>, place: string, costs: string, at: Place): string => `
  SELECT rest AS level, t AS at, t + greatest(0, ceil((capacity - rest) / refill * 1e6))::bigint AS expires_at,
         ${place} AS place, was
  FROM (
    SELECT *, ${left('was', costs)} AS rest
    FROM (
      SELECT *, least(capacity, level + (t - at) * refill / 1e6) AS was
      FROM (
        SELECT ${s.level} AS level, ${s.at} AS at, greatest(${sqlNowMicros(`(${at(6)}::bigint[])[${place}]`)}, ${s.at}) AS t,
               (${at(2)}::float8[])[${place}] AS capacity, (${at(3)}::float8[])[${place}] AS refill,
               (${at(4)}::int[])[${place}] AS from_, (${at(4)}::int[])[${place} + 1] - 1 AS till
        OFFSET 0) now_
      OFFSET 0) refilled
    OFFSET 0) judged`;

const BUCKET_COLUMNS = 'level, at, expires_at, place, was';

/** $1 keys in order, $2 capacities, $3 tokens a second, $4 where each key's costs start, and the end, $5 costs, $6 clock offsets. */
const takeBuckets = (costs: string, at: Place): string => `
   INSERT INTO rate_buckets AS b (key, ${BUCKET_COLUMNS})
   SELECT i.key, d.*
   FROM unnest(${at(1)}::text[]) WITH ORDINALITY AS i (key, place)
   CROSS JOIN LATERAL (${decideBucket({ level: `'Infinity'::float8`, at: '0::bigint' }, 'i.place::int', costs, at)}) d
   ON CONFLICT (key) DO UPDATE SET (${BUCKET_COLUMNS}) = (${decideBucket(
     { level: 'b.level', at: 'b.at' },
     'excluded.place',
     costs,
     at,
   )})`;

const BUCKET_ANSWER = 'RETURNING place, was';

export const TAKE_BUCKETS = statement(
  'limits_take_buckets',
  `${takeBuckets('($5::float8[])', alone)} ${BUCKET_ANSWER}`,
);

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
     taken AS (${take('(SELECT costs FROM counted)', alone)} ${answer})
     SELECT taken.*, p.n AS proof, p.holds, p.fresh FROM taken FULL JOIN proof p ON p.n = taken.place`,
  );
}

/**
 * Parameters of takes that are part of another statement: those of the takes without costs, then each row's key and
 * proof.
 */
const PARAMETERS_OF_TAKES = { window: 6, bucket: 5 } as const;

/**
 * CTEs of a statement that takes 1 for each of its rows. `untaken` has the numbers of the rows that got nothing: their
 * proof does not hold, or their allowance is used up. $`first` and on are the takes' parameters.
 * @param after the CTE with the statement's own locks: a statement that waits for them must not hold an allowance
 * meanwhile
 */
export function takesInStatement(
  kind: 'window' | 'bucket',
  first: number,
  after: string,
  proof: (first: number) => string,
): string {
  const costs = kind === 'window' ? 6 : 5;
  const at: Place = (parameter) => `$${first + parameter - (parameter > costs ? 2 : 1)}`;
  const own = first + PARAMETERS_OF_TAKES[kind];
  const [take, left] =
    kind === 'window' ? [takeWindows, `(${at(2)}::bigint[])[t.place] - t.was`] : [takeBuckets, 'floor(t.was + 1e-6)'];
  return `
   proof AS MATERIALIZED (${proof(own + 2)}),
   asked AS MATERIALIZED (
     SELECT a.n, a.place, coalesce(p.holds, false) AS holds, count(*) FILTER (WHERE p.holds) OVER (PARTITION BY a.place ORDER BY a.n) AS rank
     FROM unnest($${own}::int[], $${own + 1}::int[]) WITH ORDINALITY AS a (place, proof, n) LEFT JOIN proof p ON p.n = a.proof
     WHERE a.proof IS NOT NULL),
   costs AS MATERIALIZED (
     SELECT array_agg(CASE WHEN a.holds THEN 1 ELSE 0 END::float8 ORDER BY a.place, a.n) AS costs
     FROM asked a CROSS JOIN (SELECT count(*) FROM ${after}) locks WHERE a.place IS NOT NULL),
   taken AS (${take('(SELECT costs FROM costs)', at)} RETURNING place, was),
   untaken AS MATERIALIZED (
     SELECT a.n FROM asked a LEFT JOIN taken t ON t.place = a.place
     WHERE NOT a.holds OR t.place IS NULL OR a.rank > ${left})`;
}

/**
 * The same for a statement that is one call, which takes from a bucket. $`first` and on: key, capacity, tokens a
 * second, clock offset, then the proof's own. A bucket that refuses stays as it is.
 */
export function loneTakeInStatement(
  first: number,
  after: string,
  proof: (first: number, isLone: boolean) => string,
): string {
  const [key, capacity, refill, offset] = [
    `$${first}`,
    `$${first + 1}::float8`,
    `$${first + 2}::float8`,
    `$${first + 3}`,
  ];
  const at = 'greatest(excluded.at, b.at)';
  const level = `least(${capacity}, b.level + (${at} - b.at) * ${refill} / 1e6)`;
  return `
   proof AS MATERIALIZED (${proof(first + 4, true)}),
   taken AS (
     INSERT INTO rate_buckets AS b (key, level, at, expires_at, place, was)
     SELECT ${key}, ${capacity} - 1, t, t + ceil(1 / ${refill} * 1e6)::bigint, 1, ${capacity}
     FROM proof CROSS JOIN ${after} CROSS JOIN (SELECT ${sqlNowMicros(offset)} AS t) now_ WHERE holds AND ${capacity} + 1e-6 >= 1
     ON CONFLICT (key) DO UPDATE SET level = ${level} - 1, at = ${at},
       expires_at = ${at} + ceil((${capacity} - ${level} + 1) / ${refill} * 1e6)::bigint
     WHERE ${level} + 1e-6 >= 1
     RETURNING 1),
   untaken AS (SELECT 1::bigint AS n WHERE NOT EXISTS (SELECT FROM taken))`;
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
