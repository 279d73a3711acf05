import { parseSettings } from '../../kernel/config/settings.js';
import { OperatorError } from '../ending.js';
import { askServer, type TokensDocument } from '../operator-channel.js';

/** An answer of the server that is not 2xx, in its own words. */
export class ApiError extends OperatorError {
  constructor(
    readonly status: number,
    readonly code: string,
    details: readonly string[],
  ) {
    super([`the server answered ${status} ${code}`, ...details].join('\n  '));
  }
}

/**
 * The HTTP API as the commands speak it: the server of `SVC_API_URL` as the holder of `SVC_ADMIN_TOKEN` or
 * `SVC_SANDBOX_TOKEN`; without either the server of the local data directory, as an admin of its default workspace.
 */
export class Api {
  private constructor(
    /** Ends in `/api`. */
    readonly base: string,
    private readonly headers: Readonly<Record<string, string>>,
    /** What `:id` stands for where a command is given none. */
    readonly defaultSandbox: 'self' | 'default',
    /** The tokens of the server of the local data directory, where that is the one. */
    private readonly local?: TokensDocument,
  ) {}

  static async connect(env: NodeJS.ProcessEnv): Promise<Api> {
    const url = env['SVC_API_URL']?.replace(/\/+$/, '');
    const sandboxToken = env['SVC_SANDBOX_TOKEN'];
    const adminToken = env['SVC_ADMIN_TOKEN'];
    const base = url ?? 'http://127.0.0.1:3000/api';
    if (sandboxToken) return new Api(base, { 'x-sandbox-token': sandboxToken }, 'self');
    if (adminToken) return new Api(base, { 'x-admin-token': adminToken }, 'default');
    const local = await askServer<TokensDocument>(parseSettings(env), '/tokens');
    if (!local) {
      throw new OperatorError(
        'no server runs on the local data directory: start one, or set SVC_API_URL with SVC_ADMIN_TOKEN or SVC_SANDBOX_TOKEN',
      );
    }
    return new Api(url ?? `${local.base_url}/api`, { authorization: `Bearer ${local.user_token}` }, 'default', local);
  }

  /**
   * The same for what no sandbox's token may do: a shell that has one already, by `sandbox create --env`, makes another
   * with the admin token, or as the admin of the local data directory's server where that is the one meant.
   */
  static async connectAsOperator(env: NodeJS.ProcessEnv): Promise<Api> {
    const without = { ...env, SVC_SANDBOX_TOKEN: undefined };
    if (!env['SVC_SANDBOX_TOKEN'] || env['SVC_ADMIN_TOKEN']) return Api.connect(without);
    const local = await askServer<TokensDocument>(parseSettings(env), '/tokens');
    const url = env['SVC_API_URL']?.replace(/\/+$/, '');
    const isMeant = local !== null && (url === undefined || url === `${local.base_url}/api`);
    return Api.connect(isMeant ? without : env);
  }

  /** @throws ApiError when the answer is not 2xx, OperatorError when there is none */
  async call<T = Record<string, unknown>>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const response = await this.send(method, path, options);
    const text = await response.text();
    if (!response.ok) throw refusalOf(response.status, text);
    return (options.raw ? text : text === '' ? {} : JSON.parse(text)) as T;
  }

  /** The answer as it comes, for streams. */
  async send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const url = new URL(`${this.base}${path}`);
    for (const [name, value] of Object.entries(options.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const { body, token, signal } = options;
    const isText = typeof body === 'string';
    try {
      return await fetch(url, {
        method,
        headers: {
          ...(token ? { authorization: `Bearer ${token}` } : this.headers),
          ...(body === undefined ? {} : { 'content-type': isText ? 'application/yaml' : 'application/json' }),
          ...options.headers,
        },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      const { cause } = error as { cause?: NodeJS.ErrnoException };
      throw new OperatorError(`no answer from ${this.base}: ${cause?.code ?? (error as Error).message}`);
    }
  }

  /** The path of a sandbox's route. */
  sandbox(id: string | undefined, rest = ''): string {
    return `/sandboxes/${encodeURIComponent(id ?? this.defaultSandbox)}${rest}`;
  }

  /** A person to act as in a sandbox; by default an admin of it. */
  async actor(sandbox: string | undefined, user?: string): Promise<Actor> {
    // an app's token gets nobody else's, but an admin's may say for whom it acts
    if (this.local) return { token: this.local.user_token, apiKey: this.local.api_key, ...(user ? { as: user } : {}) };
    try {
      return { token: await this.tokenOf(sandbox, user ?? FIRST_ADMIN) };
    } catch (error) {
      if (user !== undefined || !(error instanceof ApiError) || error.code !== 'user_not_found') throw error;
      return { token: await this.tokenOf(sandbox, await this.someAdmin(sandbox)) };
    }
  }

  private async tokenOf(sandbox: string | undefined, user: string): Promise<string> {
    const path = this.sandbox(sandbox, '/act-as');
    return (await this.call<{ access_token: string }>('POST', path, { body: { user } })).access_token;
  }

  /** The first admin of a sandbox that was made by somebody else's document. */
  private async someAdmin(sandbox: string | undefined): Promise<string> {
    const { users = [] } = await this.call<{ users?: ListedUser[] }>('GET', this.sandbox(sandbox, '/seed'));
    const admin = users.find((user) => user.is_primary_owner || user.is_owner || user.is_admin);
    if (!admin) throw new OperatorError('this sandbox has no admin: name a person with --as');
    return admin.name;
  }
}

interface ListedUser {
  name: string;
  is_admin?: boolean;
  is_owner?: boolean;
  is_primary_owner?: boolean;
}

/** Whom a command acts as. */
export interface Actor {
  token: string;
  /** On behalf of this person, where the token is another's. */
  as?: string;
  /** Of the tracker, where the token is none of its own. */
  apiKey?: string;
}

/** Whom every sandbox is made with. */
const FIRST_ADMIN = 'admin';

export interface CallOptions {
  query?: Record<string, string | number | boolean | undefined>;
  /** An object is sent as JSON, a text as YAML. */
  body?: object | string;
  /** In place of the command's own credential. */
  token?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Answer the text instead of what it says as JSON. */
  raw?: boolean;
}

/** What a refusal says. */
export function refusalOf(status: number, text: string): ApiError {
  try {
    const { message } = JSON.parse(text) as { message?: string | string[] };
    const [code = 'without a reason', ...details] = Array.isArray(message) ? message : [message ?? ''];
    return new ApiError(status, code, details);
  } catch {
    return new ApiError(status, text.slice(0, 200), []);
  }
}
