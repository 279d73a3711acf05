import { newHex } from '../../src/kernel/ids/ids.js';

/** The outcome of one call. */
export interface Outcome {
  /** performance.now() when it was sent. */
  readonly at: number;
  readonly ms: number;
  /** 0 if the connection failed. */
  readonly status: number;
  readonly retryAfter: string | null;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of answers freely
  readonly body: any;
}

/** Makes one call; a lost connection is an outcome too. A call that takes 60 s counts as failed. */
export async function attempt(url: string, authorization: string, body: object): Promise<Outcome> {
  const at = performance.now();
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await answer.text();
    const ms = performance.now() - at;
    const isJson = answer.headers.get('content-type')?.includes('json') ?? false;
    return {
      at,
      ms,
      status: answer.status,
      retryAfter: answer.headers.get('retry-after'),
      body: isJson ? JSON.parse(text) : text,
    };
  } catch (error) {
    return {
      at,
      ms: performance.now() - at,
      status: 0,
      retryAfter: null,
      body: String((error as Error).cause ?? error),
    };
  }
}

/** The credentials of the default tenant of a server with `SETTINGS`. */
export const CREDENTIALS = {
  bot_token: `xoxb-000000000000-${'l'.repeat(24)}`,
  user_token: `xoxp-000000000000-${'l'.repeat(24)}`,
  api_key: `svc_api_${'l'.repeat(40)}`,
};

/** Settings of a server under load: these credentials, and no rate limit that load could reach. */
export const SETTINGS = {
  SVC_DEFAULT_BOT_TOKEN: CREDENTIALS.bot_token,
  SVC_DEFAULT_USER_TOKEN: CREDENTIALS.user_token,
  SVC_DEFAULT_API_KEY: CREDENTIALS.api_key,
  SVC_RATE_LIMIT_MULTIPLIER: '0',
  SVC_TRACKER_REQUESTS_PER_HOUR: '1000000',
};

/**
 * Sends posts and tracker queries over several connections until it is stopped. Each post has a unique text, so that
 * it can be found afterwards.
 */
export class Load {
  readonly posts: (Outcome & { readonly text: string })[] = [];
  readonly queries: Outcome[] = [];
  private readonly loops: Promise<void>[];
  private stopped = false;

  constructor(
    private readonly baseUrls: readonly string[],
    private readonly channel: string,
  ) {
    this.loops = [...[0, 1, 2, 3].map((i) => this.post(i)), ...[0, 1].map((i) => this.query(i))];
  }

  get all(): readonly Outcome[] {
    return [...this.posts, ...this.queries];
  }

  /** The texts of posts that were answered with success. */
  get acknowledged(): string[] {
    return this.posts.filter(({ body }) => body.ok === true).map(({ text }) => text);
  }

  /** Resolves when all pending calls have been answered. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.loops);
  }

  private base(turn: number): string {
    return this.baseUrls[turn % this.baseUrls.length] as string;
  }

  private async post(turn: number): Promise<void> {
    for (; !this.stopped; turn++) {
      const text = `load ${newHex(12)}`;
      const outcome = await attempt(`${this.base(turn)}/api/chat.postMessage`, `Bearer ${CREDENTIALS.bot_token}`, {
        channel: this.channel,
        text,
      });
      this.posts.push({ ...outcome, text });
      await pauseAfter(outcome);
    }
  }

  private async query(turn: number): Promise<void> {
    const query = '{ viewer { id } teams(first: 5) { nodes { id key } } }';
    for (; !this.stopped; turn++) {
      const outcome = await attempt(`${this.base(turn)}/graphql`, CREDENTIALS.api_key, { query });
      this.queries.push(outcome);
      await pauseAfter(outcome);
    }
  }
}

/** A client waits before it retries a refused call, and processes a successful answer for a moment. */
const pauseAfter = ({ status }: Outcome): Promise<void> =>
  new Promise((next) => setTimeout(next, status === 200 ? 5 : 50));

/** Whether the answer is a success in the format of its API. */
export const succeeded = ({ status, body }: Outcome): boolean =>
  status === 200 && (body.ok === true || (body.data !== undefined && body.errors === undefined));

/** Whether the answer is a proper refusal: 503, Retry-After, and a body in the format of its API. */
export const refusedCleanly = ({ status, retryAfter, body }: Outcome): boolean =>
  status === 503 &&
  Number(retryAfter) > 0 &&
  (body.error === 'service_unavailable' || (Array.isArray(body.errors) && body.errors.length > 0));
