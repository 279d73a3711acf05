import { statement } from '../../kernel/database/statement.js';

/* Hand-written: read before an attempt of a sandbox's delivery is recorded; one generated column. */

export const FLAGS_OF_SANDBOX = statement('timeline_flags', 'SELECT flags FROM sandboxes WHERE tenant_id = $1');
