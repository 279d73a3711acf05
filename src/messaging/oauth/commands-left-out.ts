import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { TAKEN_COMMANDS } from './clients.queries.js';
import type { Client, WorkspaceRow } from './clients.js';

/** Commands of a manifest that another app of a workspace has: an installation leaves them out. */
@Injectable()
export class CommandsLeftOut {
  constructor(private readonly db: Db) {}

  /** A sentence for each. */
  async of(client: Client, workspaces: readonly WorkspaceRow[]): Promise<string[]> {
    const commands = (client.manifest.features?.slash_commands ?? []).map(({ command }) =>
      command.startsWith('/') ? command : `/${command}`,
    );
    if (commands.length === 0) return [];
    const taken = await Promise.all(
      workspaces.map(async (workspace) => {
        const found = await this.db.read<{ command: string }>(TAKEN_COMMANDS, [workspace.id, client.id, commands]);
        return found.map(({ command }) => `${workspace.name} has ${command} from another app: it is left out.`);
      }),
    );
    return taken.flat();
  }
}
