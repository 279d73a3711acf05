import { nearest } from '../../kernel/config/unknown-settings.js';
import { BEYOND_CORE_KINDS, TARGET_NAMES } from '../events/event-names.js';
import { isJsonObject } from '../wire/text.js';

/** Fields of a manifest as the reference service knows them: a tree, `true` for whatever is below, `[…]` for lists. */
type Fields = { readonly [name: string]: Fields | true | readonly [Fields] };

const FIELDS: Fields = {
  _metadata: true,
  datastores: true,
  display_information: { name: true, description: true, long_description: true, background_color: true },
  external_auth_providers: true,
  features: {
    agent_view: true,
    app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: true },
    assistant_view: true,
    bot_user: { display_name: true, always_online: true },
    rich_previews: true,
    search: true,
    shortcuts: [{ name: true, type: true, callback_id: true, description: true }],
    slash_commands: [{ command: true, url: true, description: true, usage_hint: true, should_escape: true }],
    unfurl_domains: true,
    workflow_steps: true,
  },
  functions: true,
  metadata: true,
  oauth_config: {
    pkce_enabled: true,
    redirect_urls: true,
    scopes: { bot: true, bot_optional: true, user: true, user_optional: true },
    token_management_enabled: true,
  },
  outgoing_domains: true,
  settings: {
    allowed_ip_address_ranges: true,
    event_subscriptions: { request_url: true, bot_events: true, user_events: true, metadata_subscriptions: true },
    function_runtime: true,
    hermes_app_type: true,
    interactivity: { is_enabled: true, request_url: true, message_menu_options_url: true },
    is_hosted: true,
    is_mcp_enabled: true,
    org_deploy_enabled: true,
    socket_mode_enabled: true,
    token_rotation_enabled: true,
  },
  types: true,
  workflows: true,
};

/** Fields that request something unavailable, unless their value is false or empty. */
const WITHOUT_EFFECT = [
  'datastores',
  'external_auth_providers',
  'features.search',
  'features.slash_commands[].should_escape',
  'features.workflow_steps',
  'oauth_config.scopes.bot_optional',
  'oauth_config.scopes.user_optional',
  'outgoing_domains',
  'settings.allowed_ip_address_ranges',
  'settings.event_subscriptions.metadata_subscriptions',
  'settings.is_hosted',
  'settings.is_mcp_enabled',
  'settings.org_deploy_enabled',
  'types',
  'workflows',
];

/** The scopes and events with an effect here. */
export interface ManifestSurface {
  readonly scopes: ReadonlySet<string>;
  /** Those of them that only methods beyond the core, and their events, need. */
  readonly scopesBeyondCore: ReadonlySet<string>;
  /** Which methods exist where the app is, or will be. */
  readonly methods: 'core' | 'all';
}

/** Why something exists and still has no effect. */
const OF_ALL = ' (its methods are there with SVC_METHODS=all)';

/** The most warnings in one answer; no more are looked for, as the nearest name takes long to find. */
export const MAX_WARNINGS = 50;

/**
 * A warning for each part of a valid manifest that has no effect here: unknown fields, scopes and events, or ones that
 * request something unavailable.
 * @param at prefix of the paths, such as `app.manifest.`
 */
export function manifestWarnings(manifest: unknown, surface: ManifestSurface, at = ''): string[] {
  const { scopes, scopesBeyondCore, methods } = surface;
  const warnings: string[] = [];
  unknownFields(manifest, FIELDS, at, warnings);
  for (const field of WITHOUT_EFFECT) {
    for (const path of asked(manifest, field.split('.'))) warnings.push(`${at}${path}: has no effect here`);
  }
  const part = (path: string): unknown =>
    path.split('.').reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), manifest);
  const strings = (path: string): string[] => {
    const list = part(path);
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
  };
  const known = [...scopes];
  for (const path of ['oauth_config.scopes.bot', 'oauth_config.scopes.user']) {
    for (const [i, scope] of strings(path).entries()) {
      if (warnings.length >= MAX_WARNINGS) break;
      if (!scopes.has(scope)) warnings.push(`${at}${path}[${i}]: no such scope "${scope}"${hint(scope, known)}`);
      else if (methods === 'core' && scopesBeyondCore.has(scope)) {
        warnings.push(`${at}${path}[${i}]: nothing needs "${scope}" here${OF_ALL}`);
      }
    }
  }
  for (const path of ['settings.event_subscriptions.bot_events', 'settings.event_subscriptions.user_events']) {
    for (const [i, name] of strings(path).entries()) {
      const isCaused = TARGET_NAMES.includes(name) && (methods === 'all' || !BEYOND_CORE_KINDS.includes(name));
      if (isCaused) continue;
      const remedy = TARGET_NAMES.includes(name) ? OF_ALL : '';
      warnings.push(`${at}${path}[${i}]: nothing causes "${name}" here${remedy}`);
    }
  }
  return warnings.slice(0, MAX_WARNINGS);
}

function unknownFields(value: unknown, fields: Fields, at: string, warnings: string[]): void {
  if (!isJsonObject(value)) return;
  for (const [key, child] of Object.entries(value)) {
    if (warnings.length >= MAX_WARNINGS) return;
    const known = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const path = `${at}${key}`;
    if (known === undefined) warnings.push(`${path}: no such field${hint(key, Object.keys(fields))}`);
    else if (known === true) continue;
    else if (!isListOf(known)) unknownFields(child, known, `${path}.`, warnings);
    else if (Array.isArray(child)) {
      for (const [i, item] of child.entries()) unknownFields(item, known[0], `${path}[${i}].`, warnings);
    }
  }
}

/** Where a field is neither false nor empty; a name that ends in `[]` traverses its list. */
function asked(value: unknown, [name = '', ...below]: readonly string[], at = ''): string[] {
  if (!isJsonObject(value)) return [];
  const key = name.replace('[]', '');
  const child = value[key];
  const path = `${at}${key}`;
  if (below.length === 0) return isOff(child) ? [] : [path];
  if (key === name) return asked(child, below, `${path}.`);
  return Array.isArray(child) ? child.flatMap((item, i) => asked(item, below, `${path}[${i}].`)) : [];
}

const isOff = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const isListOf = (fields: Fields | readonly [Fields]): fields is readonly [Fields] => Array.isArray(fields);

const hint = (name: string, known: readonly string[]): string => {
  const near = nearest(name, known);
  return near === undefined ? '' : ` (${near}?)`;
};
