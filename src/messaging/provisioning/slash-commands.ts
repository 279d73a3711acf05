import type { Tx } from '../../kernel/database/db.js';
import { newId } from '../../kernel/ids/ids.js';
import { SlashCommand } from '../store/slash-command.entity.js';

/** docs/reference/control-plane.md#slash-commands; the `/` in front may be missing where one is sent. */
export const COMMAND = /^\/?[a-z0-9_-]{1,31}$/;
export const MAX_DESCRIPTION = 2000;
export const MAX_USAGE_HINT = 1000;

/** Null when another app of the workspace has the command. */
export async function insertCommand(tx: Tx, command: Omit<SlashCommand, 'id'>): Promise<SlashCommand | null> {
  const id = newId('Sc');
  const name = command.command.startsWith('/') ? command.command : `/${command.command}`;
  const row: SlashCommand = { ...command, id, command: name };
  const inserted = await tx.sql
    .createQueryBuilder()
    .insert()
    .into(SlashCommand)
    .values(row)
    .orIgnore()
    .returning('id')
    .execute();
  return (inserted.raw as unknown[]).length === 1 ? row : null;
}
