import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { seenId, storedId } from '../../kernel/clock/request-sandbox.js';
import type { Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { SUBSCRIBED_APPS } from '../../messaging/events/event-targets.queries.js';
import type { AppManifest } from '../../messaging/store/app-manifest.js';
import { newAppOf, newAppSecrets } from '../../messaging/provisioning/initial-values.js';
import type { NewApp } from '../../messaging/store/app.entity.js';
import { BulkSetup } from '../../messaging/provisioning/bulk-setup.js';
import { COMMANDS_OF_APPS, COMPLETE_APPS } from '../../messaging/provisioning/seeds.queries.js';
import { tokensOf, toSeededApp, type IssuedTokens } from './app-credentials.js';
import type { KnownObjects, KnownApp, SeededApp, SeedContext } from './known-objects.js';
import type { SeedApp } from './seed-types.js';

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
      .map(({ manifest, socketMode, id, signingSecret, installed, ...wanted }, i) => {
        const secrets = { ...newAppSecrets(), ...(signingSecret === undefined ? {} : { signingSecret }) };
        const isInstalled = installed !== false;
        const app = newAppOf({ manifest, creatorId: adminId, id, secrets, socketMode, isInstalled }, now + i);
        return { ...app, ...registrationOf(app, wanted), isDefault: false };
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
    const issued = apps.map((wanted) =>
      tokensOf(known.apps.get(wanted.name) as KnownApp, adminId, wanted, {
        users: wanted.installed === false ? undefined : wanted.installed.users,
        isRotating: wanted.installed !== false && wanted.installed.isRotating,
        personId: (name) => known.person(name)?.id as string,
        now,
      }),
    );
    await this.setup.issueTokens(
      tx,
      workspaceId,
      issued.flatMap(({ stored }) => stored),
    );
    return Object.fromEntries(
      apps.map(({ name }, i) => [
        name,
        toSeededApp(known.apps.get(name) as KnownApp, (issued[i] as IssuedTokens).plaintext),
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
      signing_secret: tx.secrets.seal(seenId(app.signingSecret)),
      manifest: app.manifest,
      client_id: app.clientId,
      client_secret_hash: app.clientSecret === undefined ? null : sha256Hex(app.clientSecret),
      is_distributed: app.isDistributed,
    }));
    await tx.query(COMPLETE_APPS, [JSON.stringify(rows)]);
    const commands = await tx.query<{ appId: string; command: string }>(COMMANDS_OF_APPS, [context.workspaceId, ids]);
    const urls = await tx.query<{ appId: string; url: string }>(SUBSCRIBED_APPS, [ids, context.workspaceId]);
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

/** What a document fixes of an app's registration. */
const registrationOf = (
  { clientId, clientSecret, isDistributed }: NewApp,
  wanted: Pick<SeedApp, 'clientId' | 'clientSecret' | 'isDistributed'>,
) => ({
  clientId: wanted.clientId ?? clientId,
  ...((wanted.clientSecret ?? clientSecret) !== undefined && {
    clientSecret: (wanted.clientSecret ?? clientSecret) as string,
  }),
  isDistributed: wanted.isDistributed ?? isDistributed,
});

/** A stored manifest with the redirect URLs and the switches that a document adds. */
function withOauthOf(before: AppManifest, { oauth_config: oauth, settings }: AppManifest): AppManifest {
  const { redirect_urls: urls, pkce_enabled: pkce } = oauth ?? {};
  const rotation = settings?.token_rotation_enabled;
  return {
    ...before,
    ...((urls ?? pkce) !== undefined && {
      oauth_config: {
        ...before.oauth_config,
        ...(urls !== undefined && { redirect_urls: urls }),
        ...(pkce === true && { pkce_enabled: true }),
      },
    }),
    ...(rotation === true && { settings: { ...before.settings, token_rotation_enabled: true } }),
  };
}

function completed(before: KnownApp, wanted: SeedApp): KnownApp {
  const { manifest, signingSecret } = wanted;
  const { bot = [], user = [] } = manifest.oauth_config?.scopes ?? {};
  return {
    ...before,
    ...registrationOf(before, wanted),
    manifest: withOauthOf(before.manifest, manifest),
    botScopes: [...new Set([...before.botScopes, ...bot])],
    userScopes: [...new Set([...before.userScopes, ...user])],
    interactivityUrl: manifest.settings?.interactivity?.request_url ?? before.interactivityUrl,
    // as ids are until it is shown
    signingSecret: signingSecret ?? storedId(before.signingSecret),
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
