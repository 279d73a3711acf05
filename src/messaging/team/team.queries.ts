import { statement } from '../../kernel/database/statement.js';

/* By hand: workspace and what else the wire shows of it, in one round trip. */

export const TEAM_INFO = statement('team_info', 'SELECT id, name, domain, icon FROM workspaces WHERE id = $1');
