import { parseSettings } from '../../kernel/config/settings.js';
import { OperatorError } from '../fatal-error.js';
import { Api } from '../kit/api.js';
import type { UrlForm } from '../kit/environment.js';
import { claimed, newSandbox, takeBack } from '../kit/new-sandbox.js';
import { askAnyServer } from '../operator-channel.js';
import { OwnServer } from './own-server.js';
import type { RunOptions } from './options.js';

/** The server that a run calls. */
export interface RunServer {
  readonly api: Api;
  /** Without a final slash. */
  readonly url: string;
  /** Started for the run. */
  readonly own: OwnServer | undefined;
}

/**
 * The server of a run: the one that is named, else the one of this folder's data directory, else a new one.
 * @throws OperatorError when a named one does not answer
 */
export async function serverOf(
  options: Pick<RunOptions, 'server' | 'new' | 'sandbox'>,
  env: NodeJS.ProcessEnv,
): Promise<RunServer> {
  const named = options.server ?? (options.new ? undefined : env['SVC_API_URL'] || undefined);
  const joins = named !== undefined || (!options.new && (await runsHere(env)));
  if (!joins) {
    const own = await OwnServer.start(env);
    const api = await Api.connect({ SVC_API_URL: `${own.url}/api`, SVC_ADMIN_TOKEN: own.adminToken });
    return { api, url: own.url, own };
  }
  const base = named?.replace(/\/+$/, '').replace(/\/api$/, '');
  const asked = base === undefined ? env : { ...env, SVC_API_URL: `${base}/api` };
  const api = options.sandbox === undefined ? await Api.connectAsOperator(asked) : await Api.connect(asked);
  return { api, url: api.base.replace(/\/api$/, ''), own: undefined };
}

const runsHere = async (env: NodeJS.ProcessEnv): Promise<boolean> =>
  (await askAnyServer(parseSettings(env), '/origin')) !== null;

/** A sandbox of a run, with what its programs are told of it. */
export interface RunSandbox {
  readonly id: string;
  /** Whether it ends with the run. */
  readonly isOwn: boolean;
  /** By the names of `--set`; those that nobody knows are absent. */
  readonly fields: Readonly<Record<string, string>>;
  /** The form of the URLs that it gives out. */
  readonly urls: UrlForm;
}

/** The app that every sandbox has. */
const DEFAULT_APP = 'default-app';

interface AppCredentials {
  [field: string]: unknown;
}

/** @throws OperatorError when it cannot be made, or has no such app */
export async function sandboxOf({ api, url }: RunServer, options: RunOptions): Promise<RunSandbox> {
  const urls = {
    api_url: `${url}/api/`,
    linear_url: `${url}/graphql`,
    mcp_chat_url: `${url}/api/mcp/chat`,
    mcp_issues_url: `${url}/api/mcp/issues`,
  };
  if (options.sandbox !== undefined) {
    const found = await api.call<{ id: string; team_id: string; urls: UrlForm }>('GET', api.sandbox(options.sandbox));
    return {
      id: found.id,
      isOwn: false,
      urls: found.urls,
      fields: { ...urls, team_id: found.team_id, ...api.knownTokens(found.team_id) },
    };
  }
  const settings = { methods: options.methods, ...(options.intercept ? { urls: 'vendor' as const } : {}) };
  const { seed, name, ttl, label, from, pool } = options;
  const made =
    pool === undefined
      ? await newSandbox(api, {
          seed,
          name,
          ttl,
          label,
          settings: { ...settings, ...(from === undefined ? {} : { from }) },
          defaults: from === undefined ? { missing_scope_status: 200 } : {},
        })
      : await claimed(api, { pool, name, ttl, label }, settings);
  const all = made.credentials as unknown as AppCredentials & { apps?: Record<string, AppCredentials> };
  const app =
    options.app === undefined ? all : (all.apps?.[options.app] ?? (options.app === DEFAULT_APP ? all : undefined));
  if (!app) {
    await takeBack(api, made.id);
    const names = [DEFAULT_APP, ...Object.keys(all.apps ?? {})].join(', ');
    throw new OperatorError(`the sandbox has no app ${options.app}; it has ${names}`);
  }
  const texts = Object.entries({ ...all, ...app }).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  );
  const mcp = (all['mcp'] ?? {}) as { chat_url?: string; issues_url?: string };
  const tools = {
    ...(mcp.chat_url && { mcp_chat_url: mcp.chat_url }),
    ...(mcp.issues_url && { mcp_issues_url: mcp.issues_url }),
  };
  return {
    id: made.id,
    isOwn: true,
    urls: made.urls,
    fields: { ...urls, ...tools, ...Object.fromEntries(texts), team_id: made.team_id },
  };
}
