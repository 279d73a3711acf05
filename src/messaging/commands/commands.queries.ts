import { columnsOf } from '../../kernel/database/columns.js';
import { statement } from '../../kernel/database/statement.js';
import { SlashCommand } from '../store/slash-command.entity.js';

/* Hand-written: a page by its key, and a name that is looked up for every command. */

const COLUMNS = columnsOf(SlashCommand, 'k');

/** SQL for its comparison of two columns at once, which pages by key. */
export const COMMANDS_PAGE = statement(
  'chat_slash_commands_page',
  `SELECT ${COLUMNS} FROM slash_commands k
   WHERE k.workspace_id = $1 AND (k.created_at, k.id) >= ($2, $3) ORDER BY k.created_at, k.id LIMIT $4`,
);

/** SQL for its join: one round trip before the app is called. */
export const COMMAND_BY_NAME = statement(
  'chat_slash_command_by_name',
  `SELECT ${COLUMNS}, w.domain FROM slash_commands k JOIN workspaces w ON w.id = k.workspace_id
   WHERE k.workspace_id = $1 AND k.command = $2`,
);

/** SQL as it is a transaction by itself (`Db.run`). */

/** Rows as drivers give them. */
export type CommandRow = SlashCommand & { [column: string]: unknown };
