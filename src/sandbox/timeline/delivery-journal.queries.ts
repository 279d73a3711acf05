import { statement } from '../../kernel/database/statement.js';

/* Hand-written: read for a sandbox before its deliveries are sent; one generated column. */

export const FLAGS_OF_SANDBOX = statement('timeline_flags', 'SELECT flags FROM sandboxes WHERE tenant_id = $1');
