import { spawn } from 'node:child_process';
import { parseSettings, type Settings } from '../kernel/config/settings.js';
import { OperatorError } from './fatal-error.js';
import { Api, ApiError } from './kit/api.js';
import { printJson, printLine } from './kit/output.js';
import { askServer } from './operator-channel.js';

interface OpenOptions {
  as?: string;
  to?: string;
  sandbox?: string;
  json?: boolean;
}

/** `understudy open`: prints a one-time link into the web UI and opens it when run on a terminal. */
export async function showLink(env: NodeJS.ProcessEnv, request: OpenOptions): Promise<void> {
  const isRemote = env['SVC_SANDBOX_TOKEN'] || env['SVC_ADMIN_TOKEN'] || env['SVC_API_URL'];
  const url = isRemote ? await linkOfServer(env, request) : await linkFor(parseSettings(env), request);
  if (request.json) return printJson({ url });
  printLine(url);
  if (process.stdout.isTTY === true) openInBrowser(url);
}

/** A link from the server at SVC_API_URL, by its API. */
async function linkOfServer(env: NodeJS.ProcessEnv, { as, to, sandbox }: OpenOptions): Promise<string> {
  const api = await Api.connect(env);
  const body = { ...(as === undefined ? {} : { user: as }), ...(to === undefined ? {} : { to }) };
  try {
    return (await api.call<{ url: string }>('POST', api.sandbox(sandbox, '/ui-link'), { body })).url;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'no_ui') throw error;
    throw new OperatorError('this server has no web UI; start it with one: understudy start --mode full');
  }
}

/** A link from the server on this machine, by the operator channel or its database. */
async function linkFor(settings: Settings, { as, to, sandbox }: OpenOptions): Promise<string> {
  if (sandbox !== undefined) {
    throw new OperatorError('--sandbox needs SVC_ADMIN_TOKEN: without it the link goes to the default workspace');
  }
  const request = { ...(as === undefined ? {} : { as }), ...(to === undefined ? {} : { to }) };
  if (settings.databaseUrl === undefined) {
    const answer = await askServer<{ url: string }>(settings, `/open?${new URLSearchParams(request).toString()}`);
    if (answer) return answer.url;
    throw new OperatorError('no server runs here; start it with a web UI: SVC_MODE=full npm start');
  }
  // loads the whole application, so it is imported only when needed
  const { linkOfStore } = await import('./tokens-of-store.js');
  return linkOfStore(settings, request);
}

/** Without a browser, the printed link has to do. */
function openInBrowser(url: string): void {
  const [program, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform as string] ?? [
    'xdg-open',
  ];
  const child = spawn(program as string, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}
