import { readManifest } from '../../messaging/provisioning/manifest.js';
import {
  manifestWarnings,
  MAX_WARNINGS,
  type ManifestSurface,
} from '../../messaging/provisioning/manifest-warnings.js';
import type { SeedReader } from './seed-reader.js';
import type { SeedApp } from './seed-types.js';

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
    'id name scopes manifest event_subscriptions interactivity_url commands bot_token user_token app_token signing_secret',
  );
  const isShort = app['manifest'] === undefined;
  if (isShort) read.name(app['name'], `${path}.name`, 35);
  const sent = isShort ? manifestOf(app, path, read) : app['manifest'];
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
    .replace(/features\.slash_commands(?:\.(\d+))?/, (_, n?: string) =>
      n === undefined ? 'commands' : `commands[${n}]`,
    )
    .replace('settings.event_subscriptions.bot_events', 'event_subscriptions.events')
    .replace('settings.event_subscriptions', 'event_subscriptions')
    .replace('settings.interactivity.request_url', 'interactivity_url');
