import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a lock, and a maximum over two products. */

export const HOLD_CLOCK = statement(
  'sandbox_hold_clock',
  'SELECT flags FROM sandboxes WHERE tenant_id = $1 FOR NO KEY UPDATE',
);
