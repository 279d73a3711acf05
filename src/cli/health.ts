import { request as http } from 'node:http';
import { request as https } from 'node:https';
import type { Settings } from '../kernel/config/settings.js';
import { OperatorError } from './fatal-error.js';

/** How long the server may take to answer, in milliseconds: less than the image's HEALTHCHECK gives this command. */
const TIMEOUT_MS = 4_000;

/** The address to connect to when the server listens on every address. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '*': '127.0.0.1', '::': '::1' };

/**
 * `understudy health`: resolves when the health route of the server that these settings describe answers 200.
 * @throws OperatorError with what happened instead
 */
export async function checkHealth(settings: Settings): Promise<void> {
  if (settings.port === 0) throw new OperatorError('PORT=0 takes any free port: set PORT to the one that is meant');
  const secure = settings.tlsCertFile !== undefined;
  const options = {
    host: LOOPBACK[settings.host] ?? settings.host,
    port: settings.port,
    path: '/api/health',
    agent: false,
    // the certificate is issued for the host that clients use and may be self-signed; nothing secret is sent
    rejectUnauthorized: false,
  };
  const where = `${secure ? 'https' : 'http'}://${options.host.includes(':') ? `[${options.host}]` : options.host}:${options.port}`;
  const status = await new Promise<number>((resolve, reject) => {
    const call = (secure ? https : http)(options, (response) => {
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
