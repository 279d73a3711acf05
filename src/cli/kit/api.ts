import { parseSettings } from '../../kernel/config/settings.js';
import { OperatorError } from '../fatal-error.js';
import { askAnyServer, type OperatorDocument, type TokensDocument } from '../operator-channel.js';

/** A response of the server that is not 2xx, in the server's own words. */
export class ApiError extends OperatorError {
  constructor(
    readonly status: number,
    readonly code: string,
    details: readonly string[],
  ) {
    super([`the server answered ${status} ${code}`, ...details].join('\n  '));
  }
}

const DEFAULT_URL = 'http://127.0.0.1:3000/api';

/** Whether two URLs of an API lead to one server, whatever they call this machine. */
const isSameServer = (one: string, other: string): boolean => {
  const [a, b] = [one, other].map((url) => url.replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=[:/])/, '$1127.0.0.1'));
  return a === b;
};

/**
 * The HTTP API as the commands use it: of the server of `SVC_API_URL`, else of the local data directory. It calls with
 * `SVC_SANDBOX_TOKEN` or `SVC_ADMIN_TOKEN`; without either a server on this machine is called as its operator.
 */
export class Api {
  private constructor(
    /** Ends in `/api`. */
    readonly base: string,
    private readonly headers: Readonly<Record<string, string>>,
    /** The sandbox for `:id` when a command names none. */
    readonly defaultSandbox: 'self' | 'default',
    /** The tokens of the local server, when that is the server being called. */
    private readonly local?: TokensDocument,
  ) {}

  static async connect(env: NodeJS.ProcessEnv): Promise<Api> {
    const url = env['SVC_API_URL']?.replace(/\/+$/, '') || undefined;
    const sandboxToken = env['SVC_SANDBOX_TOKEN'];
    const adminToken = env['SVC_ADMIN_TOKEN'];
    const hasToken = Boolean(sandboxToken) || Boolean(adminToken);
    const local = url !== undefined && hasToken ? null : await localServer(env);
    const base = url ?? (local ? `${local.base_url}/api` : DEFAULT_URL);
    if (sandboxToken) return new Api(base, { 'x-sandbox-token': sandboxToken }, 'self');
    if (adminToken) return new Api(base, { 'x-admin-token': adminToken }, 'default');
    if (!local) {
      throw new OperatorError(
        'no server runs on the local data directory: start one, or set SVC_API_URL with SVC_ADMIN_TOKEN or SVC_SANDBOX_TOKEN',
      );
    }
    if (!isSameServer(base, `${local.base_url}/api`)) {
      throw new OperatorError(
        `set SVC_ADMIN_TOKEN or SVC_SANDBOX_TOKEN: without one only ${local.base_url} can be called`,
      );
    }
    const headers: Record<string, string> =
      local.admin_token === null
        ? { authorization: `Bearer ${local.user_token}` }
        : { 'x-admin-token': local.admin_token };
    return new Api(base, headers, 'default', local);
  }

  /**
   * The same for routes that a sandbox token may not call. A shell that already has one (from `sandbox create --env`)
   * makes another sandbox with the admin token, or as the operator of this machine's server if that is the server being
   * called.
   */
  static async connectAsOperator(env: NodeJS.ProcessEnv): Promise<Api> {
    const without = { ...env, SVC_SANDBOX_TOKEN: undefined };
    if (!env['SVC_SANDBOX_TOKEN'] || env['SVC_ADMIN_TOKEN']) return Api.connect(without);
    const local = await localServer(env);
    const url = env['SVC_API_URL']?.replace(/\/+$/, '') || undefined;
    const isWanted = local !== null && (url === undefined || isSameServer(url, `${local.base_url}/api`));
    return Api.connect(isWanted ? without : env);
  }

  /** @throws ApiError when the answer is not 2xx, OperatorError when there is none */
  async call<T = Record<string, unknown>>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const response = await this.send(method, path, options);
    const text = await response.text();
    if (!response.ok) throw refusalOf(response.status, text);
    return (options.raw ? text : text === '' ? {} : JSON.parse(text)) as T;
  }

  /** The response body as it arrives, for streams. */
  async send(method: string, path: string, options: CallOptions = {}): Promise<Response> {
    const url = URL.parse(`${this.base}${path}`);
    if (!url || !/^https?:$/.test(url.protocol)) throw new OperatorError(`${this.base} is not the URL of a server`);
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
      const hint = this.base === DEFAULT_URL ? '; set SVC_API_URL if another server is meant' : '';
      throw new OperatorError(`no answer from ${this.base}: ${cause?.code ?? (error as Error).message}${hint}`);
    }
  }

  /** The path of a sandbox's route. */
  sandbox(id: string | undefined, rest = ''): string {
    return `/sandboxes/${encodeURIComponent(id ?? this.defaultSandbox)}${rest}`;
  }

  /** The person a command acts as in a sandbox; by default one of its admins. */
  async actor(sandbox: string | undefined, user?: string): Promise<Actor> {
    // an app's token cannot get another person's token; an admin's token may name the person it acts for
    if (this.local) return { token: this.local.user_token, apiKey: this.local.api_key, ...(user ? { as: user } : {}) };
    try {
      return { token: await this.tokenOf(sandbox, user ?? FIRST_ADMIN) };
    } catch (error) {
      if (user !== undefined || !(error instanceof ApiError) || error.code !== 'user_not_found') throw error;
      return { token: await this.tokenOf(sandbox, await this.someAdmin(sandbox)) };
    }
  }

  /** The tokens of the default workspace of the local server, if that is this team. */
  knownTokens(teamId: string): Record<string, string> {
    const { bot_token, user_token, app_token, api_key, team_id } = this.local ?? {};
    if (team_id !== teamId) return {};
    const tokens = Object.entries({ bot_token, user_token, app_token, api_key });
    return Object.fromEntries(tokens.filter((pair): pair is [string, string] => pair[1] !== undefined));
  }

  private async tokenOf(sandbox: string | undefined, user: string): Promise<string> {
    const path = this.sandbox(sandbox, '/act-as');
    return (await this.call<{ access_token: string }>('POST', path, { body: { user } })).access_token;
  }

  /** The first admin of a sandbox that was made from a custom document. */
  private async someAdmin(sandbox: string | undefined): Promise<string> {
    const { users = [] } = await this.call<{ users?: ListedUser[] }>('GET', this.sandbox(sandbox, '/seed'));
    const admin = users.find((user) => user.is_primary_owner || user.is_owner || user.is_admin);
    if (!admin) throw new OperatorError('this sandbox has no admin: name a person with --as');
    return admin.name;
  }
}

/** The server that runs on the data directory of this environment. */
const localServer = (env: NodeJS.ProcessEnv): Promise<OperatorDocument | null> =>
  askAnyServer<OperatorDocument>(parseSettings(env), '/operator');

interface ListedUser {
  name: string;
  is_admin?: boolean;
  is_owner?: boolean;
  is_primary_owner?: boolean;
}

/** The person a command acts as. */
export interface Actor {
  token: string;
  /** The person to act for, when the token belongs to someone else. */
  as?: string;
  /** The tracker's API key, when `token` is not valid there. */
  apiKey?: string;
}

/** The admin that every sandbox has unless its document says otherwise. */
const FIRST_ADMIN = 'admin';

export interface CallOptions {
  query?: Record<string, string | number | boolean | undefined>;
  /** An object is sent as JSON, a string as YAML. */
  body?: object | string;
  /** Replaces the command's own credential. */
  token?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Return the body as text instead of parsing it as JSON. */
  raw?: boolean;
}

/** The message of an error response. */
export function refusalOf(status: number, text: string): ApiError {
  try {
    const { message } = JSON.parse(text) as { message?: string | string[] };
    const [code = 'without a reason', ...details] = Array.isArray(message) ? message : [message ?? ''];
    return new ApiError(status, code, details);
  } catch {
    return new ApiError(status, text.slice(0, 200), []);
  }
}
