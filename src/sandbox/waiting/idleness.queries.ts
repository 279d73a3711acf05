import { statement } from '../../kernel/database/statement.js';

/* Hand-written: once for all sandboxes that are waited on. */

/** Deliveries that are due, in flight or held; those waiting for a later retry do not count. */
export const BUSY_TARGETS = statement(
  'sandbox_busy_targets',
  `SELECT DISTINCT t.tenant_id, t.id, t.product FROM delivery_targets t JOIN deliveries d ON d.target_id = t.id
    WHERE t.tenant_id = ANY($1::bigint[]) AND t.enabled
      AND (d.attempt <= 0 OR d.held_by IS NOT NULL OR d.next_at <= clock_timestamp() + $2::bigint * interval '1 microsecond')`,
);
