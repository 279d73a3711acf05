import { statement } from '../../kernel/database/statement.js';

export const WORKSPACE_NAME = statement('chat_workspace_name', 'SELECT name FROM workspaces WHERE id = $1');
