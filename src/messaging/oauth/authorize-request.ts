import type { AuthorizeQuery } from '../../oauth/authorize-query.js';
import { ConsentError } from '../../oauth/consent-error.js';
import type { ConsentRequest } from '../../oauth/consent-product.js';
import { isChallenge } from '../../oauth/pkce.js';
import { asRegistered } from '../../oauth/redirect-uri.js';
import { fitsRedirect, hasOwnScheme, isDesktop } from '../../kernel/http/redirect-urls.js';
import { hasPkce, redirectsOf, type Client } from './clients.js';
import { OPENID_SCOPES, scopeList, unfitScope } from './oauth-scopes.js';

/** What an app asks for, checked. */
export interface ChatConsentRequest extends ConsentRequest {
  readonly kind: 'install' | 'sign-in';
  readonly clientId: string;
  readonly appId: string;
  /** As sent; undefined: the registered one is used. */
  readonly sentRedirectUri: string | undefined;
  readonly bot: readonly string[];
  readonly user: readonly string[];
  /** The workspace asked for. */
  readonly team: string | undefined;
  readonly challenge: string | undefined;
  readonly nonce: string | undefined;
}

const MAX_STATE = 2_000;
const MAX_NONCE = 500;

const fault = (code: string, sentence: string): ConsentError => new ConsentError(400, code, sentence);

/** Where nobody is sent: what the server itself redeems for a test needs no redirect URL. */
const NOWHERE = 'https://installed.invalid/';

/**
 * Checks what an app asks for, in the order of docs/reference/installing.md#authorize.
 * @param isServers the server itself asks, for a test
 * @throws ConsentError
 */
export function readAuthorize(
  query: AuthorizeQuery,
  client: Client,
  kind: ChatConsentRequest['kind'],
  isServers: boolean,
): ChatConsentRequest {
  const needsNone = isServers && query.get('redirect_uri') === undefined && redirectsOf(client)?.[0] === undefined;
  const redirectUri = needsNone ? NOWHERE : redirectOf(query, client);
  const scopes = kind === 'install' ? installScopes(query, client) : signInScopes(query);
  const challenge = query.get('code_challenge');
  const method = query.get('code_challenge_method');
  const state = query.get('state');
  if (challenge !== undefined && !hasPkce(client))
    throw fault('pkce_not_allowed', 'The app sends a PKCE challenge, but its manifest does not turn PKCE on.');
  if (challenge !== undefined ? method !== 'S256' || !isChallenge(challenge) : method !== undefined)
    throw fault('invalid_arguments', 'code_challenge_method must be S256, with a code_challenge made by it.');
  if (challenge === undefined && hasOwnScheme(redirectUri))
    throw fault('invalid_arguments', 'A redirect URL with a scheme of its own needs PKCE.');
  if ((state?.length ?? 0) > MAX_STATE)
    throw fault('invalid_arguments', `state is longer than ${MAX_STATE} characters.`);
  const nonce = query.get('nonce');
  if ((nonce?.length ?? 0) > MAX_NONCE)
    throw fault('invalid_arguments', `nonce is longer than ${MAX_NONCE} characters.`);
  if (kind === 'sign-in' && query.get('response_type') !== 'code')
    throw fault('invalid_arguments', 'response_type must be code.');
  if (scopes.bot.length > 0 && isDesktop(redirectUri, hasPkce(client)))
    throw fault('invalid_scope', 'An app on a desktop cannot ask for a bot.');
  return {
    kind,
    homeId: client.tenantId,
    clientId: client.clientId,
    appId: client.id,
    redirectUri,
    sentRedirectUri: query.get('redirect_uri'),
    ...scopes,
    state,
    team: query.get('team'),
    challenge,
    nonce,
  };
}

function redirectOf(query: AuthorizeQuery, client: Client): string {
  const registered = redirectsOf(client);
  const sent = query.get('redirect_uri');
  const uri = sent ?? registered?.[0];
  if (query.hasRepeated) throw fault('bad_redirect_uri', 'An argument was sent twice.');
  if (uri === undefined) throw fault('bad_redirect_uri', 'The app has no redirect URL.');
  if (!asRegistered(uri, client.sandbox?.ids).some((one) => fitsRedirect(one, registered)))
    throw fault('bad_redirect_uri', 'The redirect URL is none of those that the app has registered.');
  return uri;
}

function installScopes(query: AuthorizeQuery, { manifest }: Client): { bot: string[]; user: string[] } {
  const [sentBot, sentUser] = [scopeList(query.get('scope')), scopeList(query.get('user_scope'))];
  const asManifest = sentBot.length + sentUser.length === 0;
  const declared = manifest.oauth_config?.scopes;
  const bot = asManifest ? [...new Set(declared?.bot ?? [])] : sentBot;
  const user = asManifest ? [...new Set(declared?.user ?? [])] : sentUser;
  if (bot.length + user.length === 0) throw fault('no_scopes', 'The app asks for nothing.');
  const unfit = unfitScope(bot, 'bot') ?? unfitScope(user, 'user');
  if (unfit !== undefined) throw fault('invalid_scope', `“${unfit}” is no scope that the app can ask for like this.`);
  return { bot, user };
}

function signInScopes(query: AuthorizeQuery): { bot: string[]; user: string[] } {
  const user = scopeList(query.get('scope'));
  const unknown = user.find((scope) => !OPENID_SCOPES.includes(scope));
  if (unknown !== undefined) throw fault('invalid_scope', `“${unknown}” is no scope for signing in.`);
  if (!user.includes('openid')) throw fault('invalid_scope', 'Signing in needs the scope “openid”.');
  return { bot: [], user };
}
