import type { SocketMode } from '../../../messaging/store/app.entity.js';
import type { AppManifest } from '../../../messaging/store/app-manifest.js';
import { said } from './names-out.js';

type Json = Record<string, unknown>;

/** A stored app with its commands and its first subscription. */
export interface StoredApp extends Json {
  readonly id: string;
  readonly name: string;
  readonly botId: string;
  readonly botUserId: string;
  readonly botScopes: string[];
  readonly userScopes: string[];
  readonly interactivityUrl: string | null;
  readonly manifest: AppManifest;
  readonly isDefault: boolean;
  readonly socketMode: SocketMode;
  readonly isDistributed: boolean;
  readonly isInstalled: boolean;
  /** Names of those who consented. */
  readonly people: string[];
  readonly isRotating: boolean;
  readonly commands: { command: string; url: string | null; description: string; usage_hint: string }[];
  readonly subscription: { url: string; names: string[] } | null;
}

/** The same, with its name in a document. */
export type ExportedApp = StoredApp;

/** An app with its current manifest, or in the short form that made it; for the default app only what was added. */
export function exportApp(app: ExportedApp, ids: boolean): Json[] {
  const id = ids ? app.id : undefined;
  const commands = app.commands.map((command) => said(command));
  const { subscription } = app;
  const added = said({
    event_subscriptions: subscription && { request_url: subscription.url, events: subscription.names },
    interactivity_url: app.interactivityUrl,
    commands,
    ...oauthOf(app),
  });
  if (app.isDefault) return Object.keys(added).length > 0 || ids ? [said({ name: app.name, id, ...added })] : [];
  if (app.socketMode === 'auto') {
    const scopes = said({ bot: app.botScopes, user: app.userScopes });
    return [said({ name: app.name, id, scopes, ...added })];
  }
  const { manifest } = app;
  const { slash_commands: _commands, ...features } = (manifest.features ?? {}) as Json;
  const { event_subscriptions: events, interactivity, ...settings } = (manifest.settings ?? {}) as Json;
  const subscribed = { ...(events as Json | undefined), ...(subscription ? { request_url: subscription.url } : {}) };
  const bare = said({
    ...manifest,
    display_information: { ...manifest.display_information, name: app.name },
    oauth_config: { ...manifest.oauth_config, scopes: { bot: app.botScopes, user: app.userScopes } },
    features: { ...features, ...said({ slash_commands: commands }) },
    settings: {
      ...settings,
      ...(Object.keys(subscribed).length > 0
        ? { event_subscriptions: { ...(subscription ? { bot_events: subscription.names } : {}), ...subscribed } }
        : {}),
      ...(app.interactivityUrl === null && interactivity === undefined
        ? {}
        : {
            interactivity: { ...(interactivity as Json | undefined), ...said({ request_url: app.interactivityUrl }) },
          }),
    },
  });
  return [said({ id, manifest: bare, ...installationOf(app) })];
}

/** What the short form says of installing; a manifest has some of it itself. */
function oauthOf(app: StoredApp): Json {
  const { oauth_config: oauth, settings } = app.manifest;
  return {
    redirect_urls: oauth?.redirect_urls,
    pkce: oauth?.pkce_enabled || undefined,
    token_rotation: settings?.token_rotation_enabled || undefined,
    ...installationOf(app),
  };
}

/** Without ids, secrets and tokens. */
function installationOf({ isDistributed, isInstalled, people, isRotating }: StoredApp): Json {
  const halves = said({ users: people, rotating: isRotating || undefined });
  return {
    distributed: isDistributed || undefined,
    installed: isInstalled ? (Object.keys(halves).length > 0 ? halves : undefined) : false,
  };
}
