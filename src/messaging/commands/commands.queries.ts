import { statement } from '../../kernel/database/statement.js';
import type { SlashCommand } from '../store/slash-commands.js';

const COLUMNS = `k.id, k.workspace_id AS "workspaceId", k.app_id AS "appId", k.command, k.url, k.description,
  k.usage_hint AS "usageHint", k.creator_id AS "creatorId", k.created_at AS "createdAt"`;

export const COMMANDS_PAGE = statement(
  'chat_slash_commands_page',
  `SELECT ${COLUMNS} FROM slash_commands k
   WHERE k.workspace_id = $1 AND (k.created_at, k.id) >= ($2, $3) ORDER BY k.created_at, k.id LIMIT $4`,
);

export const COMMAND_BY_ID = statement(
  'chat_slash_command',
  `SELECT ${COLUMNS} FROM slash_commands k WHERE k.id = $1 AND k.workspace_id = $2`,
);

export const COMMAND_BY_NAME = statement(
  'chat_slash_command_by_name',
  `SELECT ${COLUMNS}, w.domain FROM slash_commands k JOIN workspaces w ON w.id = k.workspace_id
   WHERE k.workspace_id = $1 AND k.command = $2`,
);

export const DELETE_COMMAND = statement('chat_delete_slash_command', 'DELETE FROM slash_commands WHERE id = $1');

/** Rows as drivers give them. */
export type CommandRow = SlashCommand & { [column: string]: unknown };
