import { statement } from '../../kernel/database/statement.js';

/* Hand-written: leases that one replica at a time holds, and a step and the end of the one before it in one statement. */

const LEASE = (seconds: string): string => `clock_timestamp() + ${seconds} * interval '1 millisecond'`;

/** Returns no row where the same is being played. Parameters: id, tenant, digest, file, stops, caller, who plays it, how long. */
export const BEGIN_REPLAY = statement(
  'replays_begin',
  `INSERT INTO trajectory_replays (id, tenant_id, digest, file, stops, caller, taken_by, taken_until)
   VALUES ($1, $2, $3, $4, $5, $6::jsonb, $7, ${LEASE('$8')})
   ON CONFLICT (tenant_id, digest) DO NOTHING RETURNING id`,
);

/** What came of it; null while it is played. No row: somebody was told. */
export const SENT_REPLAY = statement(
  'replays_sent',
  'SELECT id, result FROM trajectory_replays WHERE tenant_id = $1 AND digest = $2',
);

/** One that nobody plays any more. Parameters: who takes it, how long. */
export const TAKE_REPLAY = statement(
  'replays_take',
  `UPDATE trajectory_replays SET taken_by = $1, taken_until = ${LEASE('$2')}
   WHERE id = (SELECT id FROM trajectory_replays WHERE result IS NULL AND taken_until < clock_timestamp()
               ORDER BY taken_until LIMIT 1 FOR UPDATE SKIP LOCKED)
   RETURNING id, tenant_id AS "tenantId", file, stops, caller`,
);

export const KEEP_REPLAY = statement(
  'replays_keep',
  `UPDATE trajectory_replays SET taken_until = ${LEASE('$3')} WHERE id = $1 AND taken_by = $2 AND result IS NULL`,
);

export const STEPS_OF_REPLAY = statement(
  'replays_steps',
  `SELECT s.place, s.outcome,
     s.outcome IS NULL AND EXISTS (SELECT FROM events e WHERE e.tenant_id = r.tenant_id AND e.cause = s.request_id) AS "tookEffect"
   FROM trajectory_replays r JOIN trajectory_steps s ON s.replay_id = r.id WHERE r.id = $1 ORDER BY s.place`,
);

/**
 * A call begins ($3: its place, $4: its request), and the one before it ($5) has ended ($6). Returns no row if another
 * replica ($2: not this one) plays it now, or if it is gone.
 */
export const STEP_REPLAY = statement(
  'replays_step',
  `WITH mine AS (SELECT id FROM trajectory_replays WHERE id = $1 AND taken_by = $2 AND result IS NULL FOR UPDATE),
   ended AS (
     UPDATE trajectory_steps s SET outcome = $6::jsonb FROM mine WHERE s.replay_id = mine.id AND s.place = $5)
   INSERT INTO trajectory_steps (replay_id, place, request_id) SELECT id, $3, $4 FROM mine
   ON CONFLICT (replay_id, place) DO UPDATE SET request_id = excluded.request_id RETURNING place`,
);

/** Returns no row if another replica plays it now, or if it is gone. */
export const END_REPLAY = statement(
  'replays_end',
  `UPDATE trajectory_replays SET result = $3::jsonb, taken_until = clock_timestamp()
   WHERE id = $1 AND taken_by = $2 AND result IS NULL RETURNING id`,
);

export const LEAVE_REPLAY = statement(
  'replays_leave',
  'UPDATE trajectory_replays SET taken_until = clock_timestamp() WHERE id = $1 AND taken_by = $2 AND result IS NULL',
);

export const FORGET_REPLAY = statement('replays_forget', 'DELETE FROM trajectory_replays WHERE id = $1');

/** What came of a replay is told for so long ($1, in milliseconds). */
export const FORGET_OLD_REPLAYS = statement(
  'replays_forget_old',
  `DELETE FROM trajectory_replays WHERE result IS NOT NULL AND taken_until < clock_timestamp() - $1 * interval '1 millisecond'`,
);

export const FORGET_PLAYED = statement(
  'replays_forget_played',
  'DELETE FROM trajectory_replays WHERE tenant_id = $1 AND result IS NOT NULL',
);
