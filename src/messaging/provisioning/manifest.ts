import { bracketed } from '../../kernel/http/rest-body.js';
import type { AppManifest } from '../store/app-manifest.js';
import { functionFaults } from './function-manifest.js';
import { agentFaults } from './agent-manifest.js';
import { MANIFEST_NAMES } from '../events/event-names.js';
import { COMMAND, MAX_DESCRIPTION, MAX_USAGE_HINT } from './slash-commands.js';
import { isRedirectUrl } from '../../kernel/http/redirect-urls.js';
import { isBlank, isJsonObject, isLongerThan } from '../wire/text.js';

const MAX_NAME = 35;
/** The longest lists of a manifest (docs/reference/control-plane.md#apps). */
const MAX_SCOPES = 255;
const MAX_EVENTS = 100;
/** Far beyond what a workspace may have, which is said as `too_many_commands`. */
const MAX_COMMANDS = 1_000;
const MAX_SHORTCUTS = 100;
const MAX_REDIRECT_URLS = 1_000;

/**
 * An app's manifest as sent, or a message with a path for each fault (docs/reference/control-plane.md#apps). Other
 * fields are not checked.
 * @param at the name of the manifest in messages
 */
export function readManifest(value: unknown, at: string): { manifest: AppManifest } | { faults: string[] } {
  if (!isJsonObject(value)) return { faults: [`${at} must be an object`] };
  const faults: string[] = [];
  const fault = (path: string, what: string): void => void faults.push(`${at}.${path} must be ${what}`);

  const object = (parent: Record<string, unknown>, key: string, path: string): Record<string, unknown> => {
    const child = parent[key];
    if (child === undefined || child === null) return {};
    if (isJsonObject(child)) return child;
    fault(path, 'an object');
    return {};
  };
  const text = (parent: Record<string, unknown>, key: string, path: string, isRequired: boolean): void => {
    const child = parent[key];
    if ((child === undefined || child === null) && !isRequired) return;
    if (typeof child !== 'string' || isBlank(child)) fault(path, 'a string that is not blank');
  };
  const url = (parent: Record<string, unknown>, key: string, path: string, isRequired: boolean): void => {
    const child = parent[key];
    if ((child === undefined || child === null) && !isRequired) return;
    if (typeof child !== 'string' || !URL.canParse(child) || !/^https?:/i.test(child))
      fault(path, 'an http or https URL');
  };
  const upTo = (parent: Record<string, unknown>, key: string, path: string, max: number): void => {
    const child = parent[key];
    if (child === undefined || child === null) return;
    if (typeof child !== 'string' || isLongerThan(child, max)) fault(path, `a string of at most ${max} characters`);
  };
  const strings = (parent: Record<string, unknown>, key: string, path: string, most: number): void => {
    const child = parent[key];
    if (child === undefined || child === null) return;
    if (!Array.isArray(child) || !child.every((item) => typeof item === 'string')) fault(path, 'an array of strings');
    else if (child.length > most) fault(path, `an array of at most ${most} strings`);
  };

  const flag = (parent: Record<string, unknown>, key: string, path: string): void => {
    const child = parent[key];
    if (child !== undefined && child !== null && typeof child !== 'boolean') fault(path, 'true or false');
  };

  const { name } = object(value, 'display_information', 'display_information');
  if (typeof name !== 'string' || isBlank(name) || isLongerThan(name, MAX_NAME)) {
    fault('display_information.name', `a string of 1 to ${MAX_NAME} characters`);
  }
  const scopes = object(object(value, 'oauth_config', 'oauth_config'), 'scopes', 'oauth_config.scopes');
  strings(scopes, 'bot', 'oauth_config.scopes.bot', MAX_SCOPES);
  strings(scopes, 'user', 'oauth_config.scopes.user', MAX_SCOPES);

  faults.push(...redirectFaults(object(value, 'oauth_config', 'oauth_config'), `${at}.oauth_config`));
  flag(object(value, 'oauth_config', 'oauth_config'), 'pkce_enabled', 'oauth_config.pkce_enabled');

  const socketMode = isJsonObject(value['settings']) ? value['settings']['socket_mode_enabled'] : undefined;
  const features = object(value, 'features', 'features');
  text(object(features, 'bot_user', 'features.bot_user'), 'display_name', 'features.bot_user.display_name', false);
  const commands = features['slash_commands'] ?? [];
  if (!Array.isArray(commands)) fault('features.slash_commands', 'an array');
  else if (commands.length > MAX_COMMANDS) fault('features.slash_commands', `an array of at most ${MAX_COMMANDS}`);
  else {
    commands.forEach((command: unknown, i) => {
      const path = `features.slash_commands.${i}`;
      if (!isJsonObject(command)) return fault(path, 'an object');
      if (typeof command['command'] !== 'string' || !COMMAND.test(command['command'])) {
        fault(`${path}.command`, 'a "/" and 1 to 31 of a-z, 0-9, "_" and "-"');
      }
      url(command, 'url', `${path}.url`, socketMode !== true);
      upTo(command, 'description', `${path}.description`, MAX_DESCRIPTION);
      upTo(command, 'usage_hint', `${path}.usage_hint`, MAX_USAGE_HINT);
    });
  }

  const home = object(features, 'app_home', 'features.app_home');
  for (const name of ['home_tab_enabled', 'messages_tab_enabled']) flag(home, name, `features.app_home.${name}`);
  faults.push(...functionFaults(value['functions'], `${at}.functions`));
  faults.push(...agentFaults(features, `${at}.features`));
  faults.push(...shortcutFaults(features['shortcuts'], `${at}.features.shortcuts`));

  const settings = object(value, 'settings', 'settings');
  const events = object(settings, 'event_subscriptions', 'settings.event_subscriptions');
  url(events, 'request_url', 'settings.event_subscriptions.request_url', false);
  strings(events, 'bot_events', 'settings.event_subscriptions.bot_events', MAX_EVENTS);
  strings(events, 'user_events', 'settings.event_subscriptions.user_events', MAX_EVENTS);
  for (const list of ['bot_events', 'user_events']) {
    const names = events[list];
    if (!Array.isArray(names) || names.length > MAX_EVENTS) continue;
    const unknown = names.filter((name) => typeof name === 'string' && !MANIFEST_NAMES.includes(name));
    if (unknown.length > 0) fault(`settings.event_subscriptions.${list}`, 'kinds of events that there are');
  }
  flag(settings, 'socket_mode_enabled', 'settings.socket_mode_enabled');
  flag(settings, 'token_rotation_enabled', 'settings.token_rotation_enabled');
  const interactivity = object(settings, 'interactivity', 'settings.interactivity');
  url(interactivity, 'request_url', 'settings.interactivity.request_url', false);
  url(interactivity, 'message_menu_options_url', 'settings.interactivity.message_menu_options_url', false);

  return faults.length > 0 ? { faults: faults.map(bracketed) } : { manifest: value as AppManifest };
}

/** What is wrong with the redirect URLs. */
function redirectFaults({ redirect_urls: urls }: Record<string, unknown>, at: string): string[] {
  if (urls === undefined || urls === null) return [];
  if (!Array.isArray(urls) || urls.length > MAX_REDIRECT_URLS)
    return [`${at}.redirect_urls must be an array of at most ${MAX_REDIRECT_URLS} URLs`];
  return urls.flatMap((url: unknown, i) =>
    typeof url === 'string' && isRedirectUrl(url)
      ? []
      : [`${at}.redirect_urls.${i} must be an http or https URL, or one with a scheme of the app's own`],
  );
}

/** What is wrong with the shortcuts: each has a name, a type and a callback id of its own. */
function shortcutFaults(shortcuts: unknown, at: string): string[] {
  if (shortcuts === undefined || shortcuts === null) return [];
  if (!Array.isArray(shortcuts)) return [`${at} must be an array`];
  if (shortcuts.length > MAX_SHORTCUTS) return [`${at} must be an array of at most ${MAX_SHORTCUTS}`];
  return shortcuts.flatMap((shortcut: unknown, i) => {
    if (!isJsonObject(shortcut)) return [`${at}.${i} must be an object`];
    const { type } = shortcut;
    return [
      ...['name', 'callback_id', 'description']
        .filter((field) => field !== 'description' || (shortcut[field] !== undefined && shortcut[field] !== null))
        .filter((field) => typeof shortcut[field] !== 'string' || isBlank(shortcut[field]))
        .map((field) => `${at}.${i}.${field} must be a string that is not blank`),
      ...(type === 'global' || type === 'message' ? [] : [`${at}.${i}.type must be global or message`]),
    ];
  });
}
