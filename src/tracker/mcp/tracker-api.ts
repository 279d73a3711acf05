import { bearer } from '../../kernel/http/bearer.js';
import { rateLimitedFor, type ApiClient } from '../../kernel/mcp/api-client.js';
import { Refusal } from '../../kernel/mcp/refusal.js';

export type Variables = Record<string, unknown>;

/** Runs GraphQL documents as the owner of one key. */
export class TrackerApi {
  private readonly headers: Record<string, string>;

  /** `credential`: an API key, or an Authorization header: with a key, raw or behind `Bearer `, or with a JWT. */
  constructor(
    private readonly client: ApiClient,
    credential: string | undefined,
  ) {
    // the endpoint takes a key raw only, many clients can send nothing but a bearer
    const key = bearer(credential);
    const authorization = key?.startsWith('svc_api_') ? key : credential;
    // tokens of applications are for GraphQL alone (docs/reference/tracker-oauth.md#tokens)
    const isOauth = key?.startsWith('lin_oauth_') ?? false;
    this.headers = authorization === undefined || isOauth ? {} : { authorization };
  }

  /** The data of a document. @throws Refusal with the API's sentence and code */
  async run<Data>(query: string, variables: Variables = {}): Promise<Data> {
    const answer = await this.client.post('/graphql', this.headers, { query, variables });
    const { data, errors } = answer.body as { data?: Data; errors?: ErrorEntry[] };
    const error = errors?.[0];
    if (error) throw refusalOf(error, rateLimitedFor(answer));
    if (data === undefined || data === null) {
      throw new Refusal(
        'NOT_THE_API',
        `HTTP ${answer.status} without data. SVC_API_URL is the base of the API and ends in /api. (NOT_THE_API)`,
      );
    }
    return data;
  }
}

interface ErrorEntry {
  message: string;
  extensions?: { code?: string; userPresentableMessage?: string; validationErrors?: unknown };
}

function refusalOf({ message, extensions = {} }: ErrorEntry, waitSeconds: number | undefined): Refusal {
  const { code = 'UNKNOWN', userPresentableMessage: sentence = message } = extensions;
  const advice =
    code === 'RATELIMITED' && waitSeconds !== undefined
      ? `Try again in ${waitSeconds} s; nothing was done.`
      : (ADVICE[code] ?? '');
  return refused(code, sentence, advice);
}

/** `Could not find referenced Team. (INPUT_ERROR) list_teams shows them.` */
export const refused = (code: string, sentence: string, advice = ''): Refusal =>
  new Refusal(code, `${sentence} (${code})${advice === '' ? '' : ` ${advice}`}`);

/** What to do about a code, where the sentence does not say it. */
const ADVICE: Record<string, string> = {
  AUTHENTICATION_ERROR: 'Pass a live API key (svc_api_…): SVC_API_KEY on stdio, the Authorization header over HTTP.',
  FORBIDDEN: "The key's owner may not do this; trying again changes nothing.",
  RATELIMITED: 'Ask for less at once.',
  SERVICE_UNAVAILABLE: 'Wait a few seconds, see whether it was done, try again.',
  INTERNAL_SERVER_ERROR: 'The server failed. See whether it was done before trying again.',
};
