import { seenId } from '../../kernel/clock/request-sandbox.js';
import {
  APP_LEVEL_SCOPES,
  newAppLevelToken,
  newBotToken,
  newRefreshToken,
  newRotatingToken,
  newUserToken,
  ROTATING_SECONDS,
} from '../../messaging/provisioning/initial-values.js';
import type { TokenToMake } from '../../messaging/provisioning/bulk-rows.js';
import type { KnownApp, SeededApp } from './known-objects.js';
import type { SeedApp } from './seed-types.js';

/** Tokens of an app: as they are stored, and as they are shown. */
export interface IssuedTokens {
  readonly stored: readonly TokenToMake[];
  readonly plaintext: {
    readonly bot: string | null;
    readonly user: string | null;
    readonly appLevel: string | null;
    readonly refresh?: string;
    readonly users?: SeededApp['users'];
  };
}

/** For whom an app is installed, and with which kind of tokens. */
export interface Halves {
  /** Undefined: the owner of the workspace. */
  readonly users: readonly string[] | undefined;
  /** The owner beside them. */
  readonly forOwner?: boolean;
  /** What each of them granted; undefined: what the app asks for. */
  readonly scopesOf?: (name: string) => readonly string[];
  readonly isRotating: boolean;
  readonly personId: (name: string) => string;
  /** Microseconds. */
  readonly now: number;
}

/** An app with its credentials, as answers show it. */
export function toSeededApp(
  app: KnownApp,
  { bot, user, appLevel, refresh, users }: IssuedTokens['plaintext'],
): SeededApp {
  const isThere = app.botState === 'live';
  return {
    app_id: app.id,
    bot_token: bot,
    user_token: user,
    app_token: appLevel,
    signing_secret: app.signingSecret,
    bot_user_id: isThere ? app.botUserId : null,
    bot_id: isThere ? app.botId : null,
    client_id: app.clientId,
    client_secret: app.clientSecret ?? null,
    ...(refresh !== undefined && { refresh_token: refresh, expires_in: ROTATING_SECONDS }),
    ...(users && { users }),
  };
}

/** Tokens of an app, fixed or new; none for a bot that is not installed. */
export function tokensOf(
  app: KnownApp,
  ownerId: string,
  fixed: Partial<Pick<SeedApp, 'botToken' | 'userToken' | 'appToken'>> = {},
  halves?: Halves,
): IssuedTokens {
  const isThere = app.botState === 'live';
  const rotatesUntil = halves?.isRotating ? halves.now + ROTATING_SECONDS * 1e6 : undefined;
  const bot = isThere ? (fixed.botToken ?? (rotatesUntil ? newRotatingToken('bot') : newBotToken())) : null;
  const forOwner = isThere && app.userScopes.length > 0 && (halves?.users === undefined || halves.forOwner === true);
  const user = isThere ? (fixed.userToken ?? (forOwner ? newUserToken() : null)) : null;
  const appLevel = fixed.appToken ?? (app.socketMode === 'off' ? null : newAppLevelToken(app.id));
  const token = (text: string, kind: TokenToMake['kind'], userId: string, scopes: readonly string[]): TokenToMake => ({
    // as it was sent: it may hold what looks like an id
    token: seenId(text),
    kind,
    appId: app.id,
    userId,
    scopes,
  });
  const refresh = rotatesUntil && bot !== null && fixed.botToken === undefined ? newRefreshToken() : undefined;
  const people = isThere ? (halves?.users ?? []).map((name) => halfOf(app, name, halves as Halves, rotatesUntil)) : [];
  return {
    stored: [
      ...(bot === null
        ? []
        : [{ ...token(bot, 'bot', app.botUserId, app.botScopes), ...(refresh && { expiresAt: rotatesUntil }) }]),
      ...(refresh === undefined ? [] : [token(refresh, 'refresh', app.botUserId, app.botScopes)]),
      ...(user === null ? [] : [token(user, 'user', ownerId, app.userScopes)]),
      ...(appLevel === null ? [] : [token(appLevel, 'app', app.botUserId, APP_LEVEL_SCOPES)]),
      ...people.flatMap(({ stored }) => stored),
    ],
    plaintext: {
      bot,
      user,
      appLevel,
      ...(refresh !== undefined && { refresh }),
      ...(people.length > 0 && { users: Object.fromEntries(people.map(({ name, shown }) => [name, shown])) }),
    },
  };
}

/** What one person let the app have. */
function halfOf(app: KnownApp, name: string, { personId, scopesOf }: Halves, rotatesUntil: number | undefined) {
  const access = rotatesUntil ? newRotatingToken('user') : newUserToken();
  const refresh = rotatesUntil ? newRefreshToken() : undefined;
  const scopes = scopesOf?.(name) ?? app.userScopes;
  const common = { appId: app.id, userId: personId(name), scopes, isConsented: true };
  const stored: TokenToMake[] = [
    { ...common, token: access, kind: 'user', expiresAt: rotatesUntil },
    ...(refresh === undefined ? [] : [{ ...common, token: refresh, kind: 'refresh' as const }]),
  ];
  return { name, stored, shown: { user_token: access, ...(refresh !== undefined && { refresh_token: refresh }) } };
}
