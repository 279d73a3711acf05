import { isBearer } from '../../kernel/http/bearer.js';
import { rateLimitedFor, type ApiAnswer, type ApiClient } from '../../kernel/mcp/api-client.js';
import { Refusal } from '../../kernel/mcp/refusal.js';

/** An error of the API. `provided`: for missing_scope the scopes that the token has. */
export class ChatRefusal extends Refusal {
  constructor(
    code: string,
    advice: string,
    readonly provided?: readonly string[],
  ) {
    super(code, advice === '' ? code : `${code}: ${advice}`);
  }
}

/** The fields of a successful answer of a method. */
export type Fields = Record<string, unknown>;

/** Calls methods as the owner of one token. */
export class ChatApi {
  private readonly headers: Record<string, string>;

  /** `credential`: a token, or an Authorization header with one. */
  constructor(
    private readonly client: ApiClient,
    credential: string | undefined,
  ) {
    this.headers =
      credential === undefined ? {} : { authorization: isBearer(credential) ? credential : `Bearer ${credential}` };
  }

  /** @throws ChatRefusal with the code of the API, and what to do about it */
  async call(method: string, args: Fields = {}): Promise<Fields> {
    return (await this.answer(method, args)).body;
  }

  /** The same, with headers. */
  async answer(method: string, args: Fields = {}): Promise<ApiAnswer> {
    const answer = await this.client.post(`/${method}`, this.headers, args);
    if (answer.body['ok'] === true) return answer;
    throw refusalOf(answer);
  }
}

interface RefusalBody {
  error?: string;
  needed?: string;
  provided?: string;
  response_metadata?: { messages?: string[] };
}

function refusalOf(answer: ApiAnswer): ChatRefusal {
  const { error, needed = '', provided = '', response_metadata: metadata } = answer.body as RefusalBody;
  if (typeof error !== 'string') {
    return new ChatRefusal('not_the_api', `HTTP ${answer.status} without a code. SVC_API_URL must end in /api.`);
  }
  if (error === 'missing_scope') {
    return new ChatRefusal(
      error,
      `this call needs the scope ${needed.replaceAll(',', ' or ')}; the token has ${provided.replaceAll(',', ', ') || 'none'}. ` +
        'Ask for a token of an app that has it; trying again changes nothing.',
      provided.split(','),
    );
  }
  if (error === 'ratelimited') {
    const seconds = rateLimitedFor(answer);
    return new ChatRefusal(error, `too many calls of this kind. Try again in ${seconds ?? 60} s; nothing was done.`);
  }
  return new ChatRefusal(
    error,
    [ADVICE[error] ?? '', ...(metadata?.messages ?? [])].filter((part) => part !== '').join(' '),
  );
}

const NEW_TOKEN = 'Pass a live bot or user token: SVC_MCP_TOKEN on stdio, the Authorization header over HTTP.';

/** What to do about a code; codes not listed are clear by themselves. */
const ADVICE: Record<string, string> = {
  not_authed: `no token was sent. ${NEW_TOKEN}`,
  invalid_auth: `the token is not known to this server. ${NEW_TOKEN}`,
  token_revoked: `the token was replaced or revoked. ${NEW_TOKEN}`,
  token_expired: `the token has expired. ${NEW_TOKEN}`,
  account_inactive: `the token's user is deactivated or its workspace deleted. ${NEW_TOKEN}`,
  not_allowed_token_type: 'this method takes no bot token here; use a user token.',
  team_access_not_granted: 'the account is no member of that workspace.',
  channel_not_found:
    'no such conversation, or a private one that this identity is not in. svc_list_channels shows the public ones.',
  user_not_found: 'no such user in this workspace. svc_get_users shows everybody.',
  not_in_channel: 'this identity is no member of the channel. Someone has to invite it, or choose another channel.',
  is_archived: 'the channel is archived: it can be read but not changed.',
  message_not_found: 'no message with this timestamp there. svc_get_channel_history shows timestamps (ts).',
  thread_not_found: 'no message with this timestamp there. svc_get_channel_history shows timestamps (ts).',
  bad_timestamp: 'a timestamp looks like 1767225600.000100: copy the ts of a message.',
  cannot_reply_to_message: 'system messages (joins, topics, …) cannot be replied to.',
  no_text: 'the text is empty.',
  already_reacted: 'this identity has that reaction on the message already: nothing to do.',
  invalid_name: 'no known emoji. Give its short name without colons, such as thumbsup.',
  too_many_emoji: 'the message has as many different reactions as it may have.',
  too_many_reactions: 'this identity has as many reactions on the message as it may have.',
  cannot_dm_bot: 'a bot cannot write to a bot directly; use a channel.',
  user_disabled: 'that user is deactivated.',
  too_many_users: 'a group conversation has at most 8 other people.',
  users_list_not_supplied: 'name at least one user.',
  invalid_cursor: 'the cursor is not one of this tool: take it from the previous answer, or leave it out.',
  no_query: 'the query has no search term.',
  method_not_supported_for_channel_type: 'this cannot be done in a conversation of this type.',
  service_unavailable: 'the server is overloaded or stopping. Wait a few seconds, see whether it was done, try again.',
  internal_error: 'the server failed. See whether it was done before trying again.',
};
