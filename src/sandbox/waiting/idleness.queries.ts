import { statement } from '../../kernel/database/statement.js';

/* By hand: once for all sandboxes that somebody waits for. */

/** Deliveries that are due, under way or held: those that wait for a retry later are none. */
export const BUSY_TARGETS = statement(
  'sandbox_busy_targets',
  `SELECT DISTINCT t.tenant_id, t.id, t.product FROM delivery_targets t JOIN deliveries d ON d.target_id = t.id
    WHERE t.tenant_id = ANY($1::bigint[]) AND t.enabled
      AND (d.attempt <= 0 OR d.held_by IS NOT NULL OR d.next_at <= clock_timestamp() + $2::bigint * interval '1 microsecond')`,
);
