import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { newId } from '../../kernel/ids/ids.js';

const INSERT_COMMAND = statement(
  'chat_insert_slash_command',
  `INSERT INTO slash_commands (id, workspace_id, app_id, command, url, description, usage_hint, creator_id, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (workspace_id, command) DO NOTHING RETURNING id`,
);

/** docs/reference/control-plane.md#slash-commands; the `/` in front may be missing where one is sent. */
export const COMMAND = /^\/?[a-z0-9_-]{1,31}$/;
export const MAX_DESCRIPTION = 2000;
export const MAX_USAGE_HINT = 1000;

export interface SlashCommand {
  readonly id: string;
  readonly workspaceId: string;
  readonly appId: string;
  /** With its `/`. */
  readonly command: string;
  /** Null for an app that is reached over sockets. */
  readonly url: string | null;
  readonly description: string;
  readonly usageHint: string;
  readonly creatorId: string;
  /** Microseconds. */
  readonly createdAt: number;
}

/** Null when another app of the workspace has the command. */
export async function insertCommand(tx: Tx, command: Omit<SlashCommand, 'id'>): Promise<SlashCommand | null> {
  const id = newId('Sc');
  const name = command.command.startsWith('/') ? command.command : `/${command.command}`;
  const rows = await tx.query(INSERT_COMMAND, [
    id,
    command.workspaceId,
    command.appId,
    name,
    command.url,
    command.description,
    command.usageHint,
    command.creatorId,
    command.createdAt,
  ]);
  return rows.length === 1 ? { ...command, id, command: name } : null;
}
