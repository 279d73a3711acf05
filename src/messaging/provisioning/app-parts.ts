import type { Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { SOCKET_KINDS } from '../events/event-names.js';
import { insertSocketTarget, insertTarget } from '../events/event-targets.js';
import { insertCommand } from './slash-commands.js';
import type { NewApp } from '../store/app.entity.js';

/** What of an app decides about its parts. */
export type PartsOfApp = Pick<NewApp, 'id' | 'manifest' | 'socketMode' | 'creatorId' | 'createdAt'>;

/** The commands and the subscription of an app's manifest. @throws RestError 409 command_taken */
export async function createAppParts(tx: Tx, workspaceId: string, app: PartsOfApp, verified: boolean): Promise<void> {
  const taken = await createFreeParts(tx, workspaceId, app, verified);
  if (taken.length > 0) throw new RestError(409, 'command_taken');
}

/** The same without commands that another app of the workspace has. @returns those */
export async function createFreeParts(
  tx: Tx,
  workspaceId: string,
  app: PartsOfApp,
  verified: boolean,
): Promise<string[]> {
  const taken: string[] = [];
  const { features, settings } = app.manifest;
  const common = { workspaceId, creatorId: app.creatorId, createdAt: app.createdAt };
  for (const { command, url, description, usage_hint } of features?.slash_commands ?? []) {
    const made = await insertCommand(tx, {
      ...common,
      appId: app.id,
      command,
      url: url ?? null,
      description: description ?? '',
      usageHint: usage_hint ?? '',
    });
    if (!made) taken.push(command);
  }
  const { request_url: url, bot_events: names, user_events: userNames } = settings?.event_subscriptions ?? {};
  if (app.socketMode === 'on') {
    const target = { appId: app.id, names: [...(names ?? []), ...(userNames ?? [])] };
    if (target.names.length > 0) await insertSocketTarget(tx, { ...common, ...target });
  } else if (app.socketMode === 'auto') {
    await insertSocketTarget(tx, { ...common, appId: app.id, names: SOCKET_KINDS, whileOpen: true });
  }
  if (url && app.socketMode !== 'on')
    await insertTarget(tx, { ...common, url, names: names ?? undefined, app: { id: app.id, verified } });
  return taken;
}
