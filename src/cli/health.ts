import { request as http } from 'node:http';
import { request as https } from 'node:https';
import { parseSettings, type Settings } from '../kernel/config/settings.js';
import { OperatorError } from './fatal-error.js';
import { askAnyServer } from './operator-channel.js';

/** How long the server may take to answer, in milliseconds: less than the image's HEALTHCHECK gives this command. */
const TIMEOUT_MS = 4_000;

/** The address to connect to when the server listens on every address. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '*': '127.0.0.1', '::': '::1' };

/** How this machine reaches a server with these settings on this port. */
export function originOf(settings: Settings, port: number): string {
  const host = LOOPBACK[settings.host] ?? settings.host;
  const scheme = settings.tlsCertFile === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The API of the server that is meant: SVC_API_URL's, the one on PORT, the one of the data directory. */
async function apiUrl(env: NodeJS.ProcessEnv): Promise<string> {
  const url = env['SVC_API_URL']?.replace(/\/+$/, '');
  if (url) return url;
  const settings = parseSettings(env);
  const isNamed = Boolean(env['PORT']) && settings.port !== 0;
  const local = isNamed ? null : await askAnyServer<{ origin: string }>(settings, '/origin');
  if (!local && settings.port === 0) {
    throw new OperatorError(
      'no server runs on the local data directory: set SVC_API_URL, or PORT to the one that is meant',
    );
  }
  return `${local?.origin ?? originOf(settings, settings.port)}/api`;
}

/**
 * `understudy health`: resolves when the health route of the server that this environment names answers 200.
 * @throws OperatorError with what happened instead
 */
export async function checkHealth(env: NodeJS.ProcessEnv): Promise<void> {
  const api = await apiUrl(env);
  const secure = api.startsWith('https:');
  const where = api.replace(/\/api$/, '');
  // the certificate is issued for the host that clients use and may be self-signed; nothing secret is sent
  const options = { agent: false, rejectUnauthorized: false };
  const status = await new Promise<number>((resolve, reject) => {
    const call = (secure ? https : http)(`${api}/health`, options, (response) => {
      response.resume();
      clearTimeout(timer);
      resolve(response.statusCode ?? 0);
    });
    const timer = setTimeout(() => call.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
    call.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(new OperatorError(`${where} is not healthy: ${error.code ?? error.message}`));
    });
    call.end();
  });
  if (status !== 200) throw new OperatorError(`${where} is not healthy: it answers ${status}`);
}
