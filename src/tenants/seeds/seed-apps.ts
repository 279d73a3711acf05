import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import {
  APP_LEVEL_SCOPES,
  newAppLevelToken,
  newAppOf,
  newAppSecrets,
  newBotToken,
  newUserToken,
} from '../../messaging/provisioning/initial-values.js';
import type { TokenToMake } from '../../messaging/provisioning/bulk-rows.js';
import { BulkSetup } from '../../messaging/provisioning/bulk-setup.js';
import type { KnownObjects, KnownApp, SeededApp, SeedContext } from './known-objects.js';
import { COMMANDS, COMPLETE_APPS, SUBSCRIBED } from './seed-chat.queries.js';
import type { SeedApp } from './seed-types.js';

/** An app with its credentials, as answers show it. */
export const toSeededApp = (
  app: KnownApp,
  { bot, user, appLevel }: { bot: string; user: string | null; appLevel: string | null },
): SeededApp => ({
  app_id: app.id,
  bot_token: bot,
  user_token: user,
  app_token: appLevel,
  signing_secret: app.signingSecret,
  bot_user_id: app.botUserId,
  bot_id: app.botId,
});

/** Tokens of an app, fixed or new: the stored form, and the one that is shown. */
export function tokensOf(
  app: KnownApp,
  ownerId: string,
  fixed: Partial<Pick<SeedApp, 'botToken' | 'userToken' | 'appToken'>> = {},
): { stored: TokenToMake[]; plaintext: { bot: string; user: string | null; appLevel: string | null } } {
  const bot = fixed.botToken ?? newBotToken();
  const user = fixed.userToken ?? (app.userScopes.length > 0 ? newUserToken() : null);
  const appLevel = fixed.appToken ?? (app.socketMode === 'off' ? null : newAppLevelToken(app.id));
  const token = (text: string, kind: TokenToMake['kind'], userId: string, scopes: readonly string[]): TokenToMake => ({
    token: text,
    kind,
    appId: app.id,
    userId,
    scopes,
  });
  return {
    stored: [
      token(bot, 'bot', app.botUserId, app.botScopes),
      ...(user === null ? [] : [token(user, 'user', ownerId, app.userScopes)]),
      ...(appLevel === null ? [] : [token(appLevel, 'app', app.botUserId, APP_LEVEL_SCOPES)]),
    ],
    plaintext: { bot, user, appLevel },
  };
}

/**
 * Makes the apps of a document. An existing app of the name is completed: it gets missing parts, further scopes, and
 * new tokens.
 */
@Injectable()
export class SeedApps {
  constructor(
    private readonly setup: BulkSetup,
    private readonly clock: Clock,
  ) {}

  /** @throws RestError 409 command_taken, with the path */
  async add(
    tx: Tx,
    context: SeedContext,
    apps: readonly SeedApp[],
    known: KnownObjects,
  ): Promise<Record<string, SeededApp>> {
    const { adminId, workspaceId } = context;
    const completed = await this.complete(
      tx,
      context,
      apps.filter(({ name }) => known.apps.has(name)),
      known,
    );
    const now = this.clock.nowMicros();
    const made = apps
      .filter(({ name }) => !known.apps.has(name))
      .map(({ manifest, socketMode, id, signingSecret }, i) => {
        const secrets = { ...newAppSecrets(), ...(signingSecret === undefined ? {} : { signingSecret }) };
        return { ...newAppOf({ manifest, creatorId: adminId, id, secrets, socketMode }, now + i), isDefault: false };
      });
    const handles = new Set(known.users.keys());
    const taken = await this.setup.addApps(
      tx,
      context,
      made.map((app) => ({ app, isDefault: false })),
      handles,
    );
    for (const app of [...made, ...completed]) known.apps.set(app.name, app);
    refuseTaken(apps, taken);
    const tokens = apps.map((wanted) => tokensOf(known.apps.get(wanted.name) as KnownApp, adminId, wanted));
    await this.setup.issueTokens(
      tx,
      workspaceId,
      tokens.flatMap(({ stored }) => stored),
    );
    return Object.fromEntries(
      apps.map(({ name }, i) => [
        name,
        toSeededApp(known.apps.get(name) as KnownApp, (tokens[i] as (typeof tokens)[number]).plaintext),
      ]),
    );
  }

  private async complete(
    tx: Tx,
    context: SeedContext,
    apps: readonly SeedApp[],
    known: KnownObjects,
  ): Promise<KnownApp[]> {
    if (apps.length === 0) return [];
    const all = apps.map((wanted) => ({ wanted, app: completed(known.apps.get(wanted.name) as KnownApp, wanted) }));
    const ids = all.map(({ app }) => app.id);
    const rows = all.map(({ app }) => ({
      workspace_id: context.workspaceId,
      id: app.id,
      bot_scopes: app.botScopes,
      user_scopes: app.userScopes,
      interactivity_url: app.interactivityUrl,
      signing_secret: tx.secrets.seal(app.signingSecret),
    }));
    await tx.query(COMPLETE_APPS, [JSON.stringify(rows)]);
    const commands = await tx.query<{ appId: string; command: string }>(COMMANDS, [context.workspaceId, ids]);
    const urls = await tx.query<{ appId: string; url: string }>(SUBSCRIBED, [ids, context.workspaceId]);
    const parts = all.map(({ wanted: { manifest }, app }) => {
      const has = new Set(commands.filter(({ appId }) => appId === app.id).map(({ command }) => command));
      const events = manifest.settings?.event_subscriptions;
      const subscribes = !urls.some(({ appId, url }) => appId === app.id && url === events?.request_url);
      const part = {
        display_information: manifest.display_information,
        features: {
          slash_commands: (manifest.features?.slash_commands ?? []).filter(
            ({ command }) => !has.has(command.startsWith('/') ? command : `/${command}`),
          ),
        },
        settings: subscribes && events ? { event_subscriptions: events } : {},
      };
      return { ...app, manifest: part, socketMode: 'off' as const };
    });
    const taken = await this.setup.addParts(tx, context, parts);
    refuseTaken(apps, taken);
    return all.map(({ app }) => app);
  }
}

function completed(before: KnownApp, { manifest, signingSecret }: SeedApp): KnownApp {
  const { bot = [], user = [] } = manifest.oauth_config?.scopes ?? {};
  return {
    ...before,
    botScopes: [...new Set([...before.botScopes, ...bot])],
    userScopes: [...new Set([...before.userScopes, ...user])],
    interactivityUrl: manifest.settings?.interactivity?.request_url ?? before.interactivityUrl,
    signingSecret: signingSecret ?? before.signingSecret,
  };
}

/**
 * A conflicting command is reported at its last position in the document.
 * @throws RestError 409 command_taken
 */
function refuseTaken(apps: readonly SeedApp[], taken: readonly string[]): void {
  if (taken.length === 0) return;
  const places = apps.flatMap(({ manifest, commandsPath }) =>
    (manifest.features?.slash_commands ?? []).map(({ command }, i) => ({
      command: command.startsWith('/') ? command : `/${command}`,
      path: `${commandsPath}[${i}].command`,
    })),
  );
  const place = places.findLast(({ command }) => taken.includes(command));
  throw new RestError(409, 'command_taken', undefined, place?.path);
}
