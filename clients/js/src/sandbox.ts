import { Deliveries, Fault, faultBody, SandboxClock, type FaultSpec } from './control.js';
import { ExpectationError } from './errors.js';
import { answerOf, apiOf, given, ignoringAbsence, type Api } from './http.js';
import { toMatcher, toWhere } from './matchers.js';
import { Person } from './person.js';
import { closestLines, lineOf } from './report.js';
import type {
  AssertAnswer,
  Assertion,
  Changes,
  InstallOptions,
  MessageWhere,
  Product,
  Snapshot,
  TokenKind,
  WaitOptions,
  WaitRequest,
} from './sandbox-types.js';
import type { Credentials, Entry, Environment, Message, SeedDocument, Where } from './types.js';

/** A sandbox: its own workspace and organization, and the calls a test makes on it. */
export class Sandbox {
  readonly deliveries: Deliveries;
  readonly clock: SandboxClock;
  /** True once a wait or an assertion has failed here; the sandbox is then kept if `keepOnFailure` is set. */
  failed = false;
  private readonly api: Api;
  private readonly params: { path: { id: string } };
  private readonly tokens = new Map<string, Promise<{ token: string; until: number }>>();

  /** @internal `server.createSandbox` makes them. */
  constructor(
    private readonly url: string,
    readonly id: string,
    readonly teamId: string,
    readonly credentials: Credentials,
    private readonly keepOnFailure: boolean,
    private readonly urls: 'server' | 'vendor',
  ) {
    this.api = apiOf(url, { 'x-sandbox-token': credentials.control_token });
    this.params = { path: { id } };
    this.deliveries = new Deliveries(this.api, id);
    this.clock = new SandboxClock(this.api, id);
  }

  /**
   * The environment variables of an app, by its name; without a name those of the default app. Apps are installed under
   * the vendors' names where the document says `urls: vendor`.
   */
  env(app?: string): Environment {
    const own = app === undefined ? this.credentials : this.credentials.apps[app];
    if (!own)
      throw new Error(`this sandbox has no app ${app}; it has ${Object.keys(this.credentials.apps).join(', ')}`);
    const tracker = this.credentials.tracker_apps['default-app'];
    const [chat, consent, token] =
      this.urls === 'vendor'
        ? ['https://slack.com', 'https://linear.app', 'https://api.linear.app']
        : [this.url, this.url, this.url];
    return {
      SLACK_API_URL: `${this.url}/api/`,
      SLACK_BOT_TOKEN: own.bot_token ?? '',
      ...(own.user_token ? { SLACK_USER_TOKEN: own.user_token } : {}),
      ...(own.app_token ? { SLACK_APP_TOKEN: own.app_token } : {}),
      SLACK_SIGNING_SECRET: own.signing_secret,
      ...(own.client_id ? { SLACK_CLIENT_ID: own.client_id } : {}),
      ...(own.client_secret ? { SLACK_CLIENT_SECRET: own.client_secret } : {}),
      SLACK_AUTHORIZE_URL: `${chat}/oauth/v2/authorize`,
      LINEAR_API_URL: `${this.url}/graphql`,
      LINEAR_API_KEY: this.credentials.api_key,
      ...(tracker ? { LINEAR_CLIENT_ID: tracker.client_id } : {}),
      ...(tracker?.client_secret ? { LINEAR_CLIENT_SECRET: tracker.client_secret } : {}),
      LINEAR_AUTHORIZE_URL: `${consent}/oauth/authorize`,
      LINEAR_TOKEN_URL: `${token}/oauth/token`,
    };
  }

  /** A person of the sandbox, by name or id. */
  as(user: string): Person {
    return new Person(
      this.url,
      () => this.tokenOf(user),
      (text) => this.withIds(text),
      (name) => this.credentials.apps[name]?.app_id ?? name,
      user,
    );
  }

  /** Waits for a message. `channel` and `user` are names or ids, `text` is a string or a regular expression. */
  async waitForMessage(where: MessageWhere = {}): Promise<Message> {
    const { timeoutMs, after, text, ...rest } = where;
    const wanted = {
      ...rest,
      ...(text === undefined ? {} : { text: typeof text === 'string' ? { $contains: text } : text }),
    };
    const [entry] = await this.waitFor({ for: 'message', where: wanted, ...given({ timeoutMs, after }) });
    return ((entry as Entry)['data'] ?? entry) as Message;
  }

  /** Waits for calls of a method. */
  waitForCall(method: string, options: WaitOptions & { times?: number; where?: Where } = {}): Promise<Entry[]> {
    const { times, where, ...rest } = options;
    return this.waitFor({
      for: 'call',
      where: { method, ...where },
      ...rest,
      ...(times === undefined ? {} : { count: times }),
    });
  }

  waitForEvent(event: string, options: WaitOptions & { where?: Where; count?: number } = {}): Promise<Entry[]> {
    const { where, ...rest } = options;
    return this.waitFor({ for: 'event', where: { event, ...(where ? { data: where } : {}) }, ...rest });
  }

  waitForIssue(where: Where, options: WaitOptions = {}): Promise<Entry[]> {
    return this.waitFor({ for: 'issue', where, ...options });
  }

  /** Waits until no call and no delivery is in progress. */
  async waitForIdle(options: WaitOptions = {}): Promise<void> {
    await this.waitFor({ for: 'idle', ...options });
  }

  /** Expects that nothing of this kind happens for a while. */
  async expectQuiet(event: string, options: { forMs?: number; where?: Where; timeoutMs?: number } = {}): Promise<void> {
    const { forMs, where, timeoutMs } = options;
    const wanted = { event, ...(where ? { data: where } : {}) };
    await this.waitFor({
      for: 'quiet',
      where: wanted,
      ...given({ timeoutMs }),
      ...(forMs === undefined ? {} : { quietMs: forMs }),
    });
  }

  /** @throws ExpectationError with the closest entries */
  async waitFor({ for: what, where, count, quietMs, timeoutMs, after }: WaitRequest): Promise<Entry[]> {
    const body = given({
      for: what,
      where: toWhere(where),
      count,
      quiet_ms: quietMs,
      timeout_ms: timeoutMs,
      after,
    });
    const answer = await answerOf(
      this.api.POST('/api/sandboxes/{id}/wait', { params: this.params, body: body as never }),
    );
    if (answer.matched) return answer.entries as Entry[];
    const wanted = where ? ` with ${JSON.stringify(toMatcher(where))}` : '';
    const head =
      what === 'quiet'
        ? `expected nothing${wanted}, but there was ${JSON.stringify(answer.entries[0])}`
        : `waited ${answer.waited_ms} ms for ${count ?? 1} ${what}${wanted}, found ${answer.entries.length}`;
    throw await this.failure([head, ...closestLines(answer.closest ?? [])]);
  }

  /**
   * Installs an app by OAuth as a person with a browser does: by name, id or client id, or by its own install URL (`start`).
   * `installed` of the answer says whether the app redeemed its code.
   */
  install(app?: string, options: InstallOptions = {}) {
    const { timeoutMs, userScope, redirectUri, ...rest } = options;
    const isClientId = app !== undefined && /^(?:[0-9]{12}\.[0-9]{13}|[0-9a-f]{32})$/.test(app);
    const body = given({
      ...(isClientId ? { client_id: app } : { app }),
      ...rest,
      user_scope: userScope,
      redirect_uri: redirectUri,
      timeout_ms: timeoutMs,
    });
    return answerOf(this.api.POST('/api/sandboxes/{id}/install', { params: this.params, body: body as never }));
  }

  /** Ends a token, or those of an app of a kind, as their time would. Answers how many. */
  async expireToken(
    which: string | { app: string; kind: TokenKind; user?: string; product?: Product },
  ): Promise<number> {
    const body = typeof which === 'string' ? { token: which } : which;
    return (await answerOf(this.api.POST('/api/sandboxes/{id}/tokens/expire', { params: this.params, body }))).count;
  }

  /** Makes calls fail. `await using` removes the fault at the end of the scope. */
  async fault(method: string, spec: FaultSpec): Promise<Fault> {
    const body = faultBody(method, spec) as never;
    const { id } = await answerOf(this.api.POST('/api/sandboxes/{id}/faults', { params: this.params, body }));
    return new Fault(this.api, this.id, id);
  }

  async clearFaults(): Promise<void> {
    await this.api.DELETE('/api/sandboxes/{id}/faults', { params: this.params });
  }

  snapshot(name?: string): Promise<Snapshot> {
    const body = given({ name });
    return answerOf(this.api.POST('/api/sandboxes/{id}/snapshots', { params: this.params, body }));
  }

  /** Resets the sandbox to the baseline, or to a snapshot. */
  async reset(to?: Snapshot | string): Promise<void> {
    const body = given({ to: nameOf(to) });
    await this.api.POST('/api/sandboxes/{id}/reset', { params: this.params, body });
  }

  /** Adds data to the sandbox; `refs` of the answer maps names to what was made. */
  seed(document: SeedDocument, options: { baseline?: boolean } = {}) {
    const params = { ...this.params, query: options };
    // the server checks the document and names each fault by its path
    const body = document as never;
    return answerOf(this.api.POST('/api/sandboxes/{id}/seed', { params, body }));
  }

  /** The net changes since the baseline, or since a snapshot. */
  async changes(since?: Snapshot | string): Promise<Changes> {
    const params = { ...this.params, query: given({ since: nameOf(since) }) };
    return (await answerOf(this.api.GET('/api/sandboxes/{id}/changes', { params }))) as Changes;
  }

  /** @throws ExpectationError with the server's message for each expectation that does not hold */
  async assert({ nothingElse, since, expect }: Assertion): Promise<void> {
    const body = given({ since: nameOf(since), expect: toMatcher(expect ?? []), nothing_else: nothingElse }) as never;
    const answer = (await answerOf(
      this.api.POST('/api/sandboxes/{id}/assert', { params: this.params, body }),
    )) as AssertAnswer;
    if (answer.passed) return;
    const lines = answer.failures.flatMap(({ message, nothing_else, unexpected, closest }) => [
      message ?? `something else happened to ${nothing_else}: ${JSON.stringify(unexpected)}`,
      ...closestLines(closest ?? []),
    ]);
    throw await this.failure(lines);
  }

  /** Marks the timeline; later waits start here. Returns the cursor. */
  async mark(): Promise<string> {
    return (await answerOf(this.api.POST('/api/sandboxes/{id}/timeline/mark', { params: this.params }))).cursor;
  }

  /** Writes a note on the timeline, such as the name of the test. */
  async note(text: string, data?: object): Promise<void> {
    const body = given({ text, data }) as never;
    await this.api.POST('/api/sandboxes/{id}/timeline', { params: this.params, body });
  }

  /** Timeline entries since the last mark (the test's reset, a seed, `mark`), or `since` another point, or `start`. */
  async timeline(query: Record<string, string | number | undefined> = {}): Promise<Entry[]> {
    const { since = query['after'] === undefined && query['before'] === undefined ? 'mark' : undefined, ...rest } =
      query;
    const asked = given({ ...rest, since: since === 'start' ? undefined : since }) as never;
    const params = { ...this.params, query: asked };
    return (await answerOf(this.api.GET('/api/sandboxes/{id}/timeline', { params }))).entries as Entry[];
  }

  /** Makes a URL of the server that accepts any request, answers as configured, and records it on the timeline. */
  inbox(options: { name?: string; answers?: object[] } = {}): Promise<{ id: string; url: string }> {
    const body = options as never;
    return answerOf(this.api.POST('/api/sandboxes/{id}/inboxes', { params: this.params, body }));
  }

  /** A one-time link into the web UI, or null if the server has none. */
  async link({ as, to }: { as?: string; to?: string } = {}): Promise<string | null> {
    const body = given({ user: as, to });
    return answerOf(this.api.POST('/api/sandboxes/{id}/ui-link', { params: this.params, body })).then(
      ({ url }) => url,
      () => null,
    );
  }

  /** Whether the sandbox is kept for inspection after a failure. */
  get isKept(): boolean {
    return this.failed && this.keepOnFailure;
  }

  /** Deletes the sandbox, unless it is kept after a failure. */
  async delete(options: { force?: boolean } = {}): Promise<void> {
    if (this.isKept && options.force !== true) return;
    await ignoringAbsence(this.api.DELETE('/api/sandboxes/{id}', { params: this.params }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.delete();
  }

  /**
   * An error with these lines and the last entries of the timeline.
   * @internal for waits, assertions and matchers that fail
   */
  async failure(lines: string[]): Promise<ExpectationError> {
    this.failed = true;
    const last = await this.timeline({ since: 'start', order: 'desc', limit: 10, view: 'summary' }).catch(() => []);
    const link = await this.link({ to: `/w/${this.teamId}/inspect?since=mark` });
    return new ExpectationError(
      [
        ...lines,
        'the last entries of the timeline:',
        ...last.reverse().map((entry) => `  ${lineOf(entry)}`),
        ...(this.keepOnFailure ? [`the sandbox is kept: ${this.id}`] : []),
        ...(link === null ? [] : [`look: ${link}`]),
      ].join('\n'),
    );
  }

  /** A person's token, cached until shortly before it expires. */
  private async tokenOf(user: string): Promise<string> {
    const known = await this.tokens.get(user);
    if (known && known.until > Date.now()) return known.token;
    const asked = answerOf(this.api.POST('/api/sandboxes/{id}/act-as', { params: this.params, body: { user } })).then(
      ({ access_token, expires_in }) => ({ token: access_token, until: Date.now() + expires_in * 900 }),
    );
    this.tokens.set(user, asked);
    asked.catch(() => this.tokens.delete(user));
    return (await asked).token;
  }

  /** Replaces `<@name>` and `<#name>` by the ids that stored texts hold. */
  private withIds(text: string): string {
    const { users, apps, channels } = this.credentials;
    return text
      .replace(/<@([a-z0-9][a-z0-9._-]*)>/g, (whole, name: string) => {
        const id = users[name]?.user_id ?? apps[name]?.bot_user_id;
        return id === undefined ? whole : `<@${id}>`;
      })
      .replace(/<#([^>|\s]+)>/g, (whole, name: string) => {
        const id = channels[name];
        return id === undefined ? whole : `<#${id}>`;
      });
  }
}

const nameOf = (snapshot: Snapshot | string | undefined): string | undefined =>
  typeof snapshot === 'object' ? snapshot.id : snapshot;
