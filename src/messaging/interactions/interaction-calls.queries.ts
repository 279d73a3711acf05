import { statement } from '../../kernel/database/statement.js';

/* By hand: one column, on the way of every interaction. */

export const DOMAIN_OF_WORKSPACE = statement('chat_workspace_domain', 'SELECT domain FROM workspaces WHERE id = $1');
