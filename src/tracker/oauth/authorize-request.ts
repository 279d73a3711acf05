import type { AuthorizeQuery } from '../../oauth/authorize-query.js';
import { ConsentError, ConsentRefusal } from '../../oauth/consent-error.js';
import type { ConsentRequest } from '../../oauth/consent-product.js';
import { isChallenge } from '../../oauth/pkce.js';
import { scopeList, unfitScope } from '../access/oauth-scopes.js';
import { isRegisteredRedirect, type OauthClient } from './oauth-clients.js';

/** What an application asks for, checked. */
export interface TrackerConsentRequest extends ConsentRequest {
  readonly clientId: string;
  readonly actor: 'user' | 'app';
  readonly scopes: readonly string[];
  /** The URL key of the organization asked for. */
  readonly organization: string | undefined;
  readonly challenge: string | undefined;
  readonly method: 'S256' | 'plain';
}

const MAX_STATE = 2_000;
const ACTORS: Readonly<Record<string, 'user' | 'app'>> = { user: 'user', app: 'app', application: 'app' };

/**
 * Where people are sent back: until it is known, a fault is a page.
 * @throws ConsentError 400 invalid_redirect_uri
 */
export function redirectOf(query: AuthorizeQuery, client: OauthClient): Pick<ConsentRequest, 'redirectUri' | 'state'> {
  const redirectUri = query.get('redirect_uri');
  if (query.hasRepeated || redirectUri === undefined || !isRegisteredRedirect(client, redirectUri))
    throw new ConsentError(
      400,
      'invalid_redirect_uri',
      'The redirect URL is not one that the application has registered.',
    );
  const state = query.get('state');
  // one that is too long is not sent back
  return { redirectUri, state: state !== undefined && state.length > MAX_STATE ? undefined : state };
}

/** The rest of what is asked for (docs/reference/tracker-oauth.md#authorize). @throws ConsentRefusal */
export function readAuthorize(
  query: AuthorizeQuery,
  client: OauthClient,
  back: Pick<ConsentRequest, 'redirectUri' | 'state'>,
): TrackerConsentRequest {
  if (query.get('response_type') !== 'code')
    throw new ConsentRefusal('unsupported_response_type', 'The response type must be code');
  if ((query.get('state')?.length ?? 0) > MAX_STATE) throw invalid(`state is longer than ${MAX_STATE} characters`);
  const actor = ACTORS[query.get('actor') ?? 'user'];
  if (actor === undefined) throw invalid('actor must be user or app');
  const challenge = query.get('code_challenge');
  const method = query.get('code_challenge_method') ?? 'plain';
  if (method !== 'S256' && method !== 'plain') throw invalid('code_challenge_method must be S256 or plain');
  if (challenge !== undefined && !isChallenge(challenge))
    throw invalid('code_challenge must have 43 to 128 characters');
  const scopes = scopeList(query.get('scope'));
  const unfit = unfitScope(scopes, actor);
  if (unfit !== undefined) throw new ConsentRefusal('invalid_scope', `Invalid scope: ${unfit}`);
  const organization = query.get('organization');
  return {
    ...back,
    homeId: client.tenantId,
    clientId: client.clientId,
    actor,
    scopes,
    organization,
    challenge,
    method,
  };
}

const invalid = (description: string): ConsentRefusal => new ConsentRefusal('invalid_request', description);
