import { seenId } from '../../kernel/clock/request-sandbox.js';
import { newAlphanumeric, newDigits, newHex, newId } from '../../kernel/ids/ids.js';
import type { NewApp, SocketMode } from '../store/app.entity.js';
import type { AppManifest } from '../store/app-manifest.js';
import { botScopesOf } from './agent-manifest.js';
import { socketModeOf } from './default-scopes.js';

const COLORS = ['9f69e7', '4bbe2e', 'e7392d', '3c989f', '674b1b', 'e96699', 'e0a729', '684b6c', '5b89d5', '2b6836'];

/** Slugs of app names and e-mails: a valid handle, `fallback` where nothing is left. */
export const handleOf = (text: string, fallback: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .replace(/-+$/, '')
    .slice(0, 80) || fallback;

/** The first name of `name`, `name2`, … (with `separator` `-`: `name-2`, …) that is not taken. */
export function freeName(name: string, taken: ReadonlySet<string>, separator: string): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) {
    const suffix = `${separator}${number}`;
    const candidate = name.slice(0, 80 - suffix.length) + suffix;
    if (!taken.has(candidate)) return candidate;
  }
}

/** Shared secrets of an app and this service (docs/reference/events.md#envelope, #signing). */
export interface AppSecrets {
  readonly signingSecret: string;
  readonly verificationToken: string;
}

export const newAppSecrets = (): AppSecrets => ({ signingSecret: newHex(32), verificationToken: newAlphanumeric(24) });

/** Names an app's registration to who installs it. */
export const newClientId = (): string => `${newDigits(12)}.${newDigits(13)}`;

export const newBotToken = (): string => `xoxb-${newDigits(12)}-${newAlphanumeric(24)}`;
/** An app-level token: its third part is the app's id. */
export const newAppLevelToken = (appId: string): string => `xapp-1-${seenId(appId)}-${newDigits(13)}-${newHex(64)}`;

/** The fixed scope of an app-level token. */
export const APP_LEVEL_SCOPES: readonly string[] = ['connections:write'];

/** The stored part of a token, besides its hash, by which people recognize it. */
export const hintOf = (token: string): string => token.slice(-4);

export const newUserToken = (): string => `xoxp-${newDigits(12)}-${newAlphanumeric(24)}`;

/** Always the same one for an id. */
export function avatarColorOf(id: string): string {
  const seen = seenId(id);
  return COLORS[(seen.charCodeAt(10) + seen.charCodeAt(9)) % COLORS.length] as string;
}

/** The stored profile of a new user; the rest of docs/reference/chat.md#profiles is derived when it is read. */
export function profileOf(realName: string, handle: string): object {
  const space = realName.search(/\s/);
  return {
    real_name: realName,
    display_name: handle,
    first_name: space === -1 ? realName : realName.slice(0, space),
    last_name: space === -1 ? '' : realName.slice(space).trim(),
  };
}

/** A new app of a valid manifest. @param nowMicros when it is made */
export function newAppOf(
  input: {
    manifest: AppManifest;
    creatorId: string;
    isDefault?: boolean | undefined;
    /** Default: a new one. */
    id?: string | undefined;
    secrets?: AppSecrets | undefined;
    /** Default: as the manifest says. */
    socketMode?: SocketMode | undefined;
    /** False: it is registered only. */
    isInstalled?: boolean | undefined;
  },
  nowMicros: number,
): NewApp {
  const { manifest } = input;
  return {
    id: input.id ?? newId('A'),
    name: manifest.display_information.name,
    botId: newId('B'),
    botUserId: newId('U'),
    botScopes: botScopesOf(manifest),
    userScopes: manifest.oauth_config?.scopes?.user ?? [],
    ...(input.secrets ?? newAppSecrets()),
    interactivityUrl: manifest.settings?.interactivity?.request_url ?? null,
    socketMode: input.socketMode ?? socketModeOf(manifest, input.isDefault ?? false),
    manifest,
    creatorId: input.creatorId,
    createdAt: nowMicros,
    homeId: null,
    clientId: newClientId(),
    clientSecret: newHex(32),
    isDistributed: false,
    botState: input.isInstalled === false ? 'none' : 'live',
    installedAt: input.isInstalled === false ? null : nowMicros,
  };
}

/** The name of an app's bot. */
export const botNameOf = ({ manifest, name }: Pick<NewApp, 'manifest' | 'name'>): string =>
  manifest.features?.bot_user?.display_name ?? name;

/** How long a rotating token lives, in seconds. */
export const ROTATING_SECONDS = 43_200;

export const newRotatingToken = (kind: 'bot' | 'user'): string =>
  `xoxe.${kind === 'bot' ? 'xoxb' : 'xoxp'}-1-${newAlphanumeric(64)}`;
export const newRefreshToken = (): string => `xoxe-1-${newAlphanumeric(64)}`;
