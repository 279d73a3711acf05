import { readManifest } from '../../messaging/provisioning/manifest.js';
import {
  manifestWarnings,
  MAX_WARNINGS,
  type ManifestSurface,
} from '../../messaging/provisioning/manifest-warnings.js';
import type { SeedReader } from './seed-reader.js';
import type { SeedApp, SeedInstallation } from './seed-types.js';

type Json = Record<string, unknown>;

/** An app of a document: in the short form, or with its manifest. */
export function readApp(
  value: unknown,
  path: string,
  read: SeedReader,
  context: { surface: ManifestSurface; verify: boolean },
): SeedApp {
  const { surface, verify } = context;
  const app = read.object(
    value,
    path,
    'id name scopes manifest event_subscriptions interactivity_url commands bot_token user_token app_token signing_secret redirect_urls distributed token_rotation pkce client_id client_secret installed',
  );
  const isShort = app['manifest'] === undefined;
  if (isShort) read.name(app['name'], `${path}.name`, 35);
  const sent = withOauth(isShort ? manifestOf(app, path, read) : app['manifest'], app);
  const result = readManifest(sent, isShort ? path : `${path}.manifest`);
  const asFault = (sentence: string): string => (isShort ? asWritten(sentence) : sentence).replace(' must ', ': must ');
  if ('faults' in result) {
    if (!isShort || read.faults.every((fault) => !fault.startsWith(`${path}.name`))) {
      read.faults.push(...result.faults.map(asFault));
    }
  } else if (read.warnings.length < MAX_WARNINGS) {
    const warned = manifestWarnings(result.manifest, surface, isShort ? `${path}.` : `${path}.manifest.`);
    read.warnings.push(...(isShort ? warned.map(asWritten) : warned));
  }
  const manifest = 'faults' in result ? { display_information: { name: String(app['name'] ?? '') } } : result.manifest;
  const appToken = read.token(app['app_token'], `${path}.app_token`, 'xapp-1-');
  const ofToken = appToken?.split('-')[2];
  if (ofToken !== undefined && !/^A0[0-9A-Z]{9}$/.test(ofToken)) {
    read.fault(`${path}.app_token`, "must have the app's id as its third part");
  }
  const id = read.id(app['id'], `${path}.id`, 'A');
  if (id !== undefined && ofToken !== undefined && ofToken !== id) {
    read.fault(`${path}.app_token`, 'must have the id of this app as its third part');
  }
  return {
    name: manifest.display_information.name,
    id: id ?? ofToken,
    manifest,
    socketMode: isShort ? 'auto' : undefined,
    botToken: read.token(app['bot_token'], `${path}.bot_token`, 'xoxb-'),
    userToken: read.token(app['user_token'], `${path}.user_token`, 'xoxp-'),
    appToken,
    signingSecret: read.token(app['signing_secret'], `${path}.signing_secret`, ''),
    ...readClient(app, path, read),
    isDistributed: read.flag(app['distributed'], `${path}.distributed`),
    installed: readInstallation(app['installed'], `${path}.installed`, read),
    verify: verify || readVerify(app, path, read),
    commandsPath: isShort ? `${path}.commands` : `${path}.manifest.features.slash_commands`,
    path,
  };
}

/** `event_subscriptions.verify`, in the short form and in a manifest. */
function readVerify(app: Json, path: string, read: SeedReader): boolean {
  const subscription = app['event_subscriptions'];
  if (typeof subscription !== 'object' || subscription === null) return false;
  return read.flag((subscription as Json)['verify'], `${path}.event_subscriptions.verify`) ?? false;
}

/** What names the app to who installs it. */
function readClient(app: Json, path: string, read: SeedReader): Pick<SeedApp, 'clientId' | 'clientSecret'> {
  const clientId = read.text(app['client_id'], `${path}.client_id`, 100);
  if (clientId !== undefined && !/^[0-9]{12}\.[0-9]{13}$/.test(clientId))
    read.fault(`${path}.client_id`, 'must be 12 digits, a dot and 13 digits');
  const clientSecret = read.text(app['client_secret'], `${path}.client_secret`, 100);
  if (clientSecret !== undefined && !/^[0-9a-f]{32}$/.test(clientSecret))
    read.fault(`${path}.client_secret`, 'must be 32 hex digits');
  return { clientId, clientSecret };
}

/** `true`, `false`, or for whom, and with which kind of tokens. */
function readInstallation(value: unknown, path: string, read: SeedReader): SeedInstallation {
  if (value === false) return false;
  if (value === undefined || value === true) return { users: undefined, isRotating: false };
  const fields = read.object(value, path, 'users rotating');
  return {
    users: fields['users'] === undefined ? undefined : read.texts(fields['users'], `${path}.users`),
    isRotating: read.flag(fields['rotating'], `${path}.rotating`) ?? false,
  };
}

/** A manifest with what a document says of its installing beside it. */
function withOauth(manifest: unknown, { redirect_urls, pkce, token_rotation }: Json): unknown {
  const isObject = (value: unknown): value is Json =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject(manifest)) return manifest;
  const { oauth_config: oauth = {}, settings = {} } = manifest;
  return {
    ...manifest,
    ...(isObject(oauth) &&
      (redirect_urls ?? pkce) !== undefined && {
        oauth_config: {
          ...oauth,
          ...(redirect_urls !== undefined && { redirect_urls }),
          ...(pkce !== undefined && { pkce_enabled: pkce }),
        },
      }),
    ...(isObject(settings) &&
      token_rotation !== undefined && { settings: { ...settings, token_rotation_enabled: token_rotation } }),
  };
}

/** The manifest of the short form. */
function manifestOf(app: Json, path: string, read: SeedReader): Json {
  const subscription = (app['event_subscriptions'] ?? {}) as Json;
  if (app['event_subscriptions'] !== undefined) {
    read.object(app['event_subscriptions'], `${path}.event_subscriptions`, 'request_url events user_events verify');
  }
  const events = { bot_events: subscription['events'], user_events: subscription['user_events'] };
  const url = subscription['request_url'];
  const hasEvents = Object.values(events).some((list) => list !== undefined);
  return {
    display_information: { name: app['name'] },
    oauth_config: { scopes: app['scopes'] ?? {} },
    features: app['commands'] === undefined ? {} : { slash_commands: app['commands'] },
    settings: {
      ...(url === undefined && !hasEvents
        ? {}
        : { event_subscriptions: { ...(url === undefined ? {} : { request_url: url }), ...events } }),
      ...(app['interactivity_url'] === undefined
        ? {}
        : { interactivity: { is_enabled: true, request_url: app['interactivity_url'] } }),
    },
  };
}

/** The path in the short form for a path of the manifest. */
const asWritten = (sentence: string): string =>
  sentence
    .replace('display_information.name', 'name')
    .replace('oauth_config.scopes', 'scopes')
    .replace('oauth_config.redirect_urls', 'redirect_urls')
    .replace('oauth_config.pkce_enabled', 'pkce')
    .replace('settings.token_rotation_enabled', 'token_rotation')
    .replace(/features\.slash_commands(?:\.(\d+))?/, (_, n?: string) =>
      n === undefined ? 'commands' : `commands[${n}]`,
    )
    .replace('settings.event_subscriptions.bot_events', 'event_subscriptions.events')
    .replace('settings.event_subscriptions', 'event_subscriptions')
    .replace('settings.interactivity.request_url', 'interactivity_url');
