import { statement } from '../../kernel/database/statement.js';

/* Hand-written: a lock alone. */

export const HOLD_SANDBOX = statement('sandbox_hold', 'SELECT FROM sandboxes WHERE tenant_id = $1 FOR NO KEY UPDATE');
