import { connect, startUnderstudy, type Server, type StartOptions } from './server.js';

/** Environment variables that tell the workers of a run where its server is. */
export const URL_NAME = 'UNDERSTUDY_URL';
export const TOKEN_NAME = 'UNDERSTUDY_ADMIN_TOKEN';

/**
 * Starts a server for the run, unless the environment names one. Returns a function that stops it. For the global setup
 * of a test runner.
 */
export async function shareServer(options: StartOptions = {}): Promise<() => Promise<void>> {
  if (process.env[URL_NAME]) return async () => undefined;
  const server = await startUnderstudy(options);
  process.env[URL_NAME] = server.url;
  process.env[TOKEN_NAME] = server.adminToken as string;
  return async () => {
    delete process.env[URL_NAME];
    delete process.env[TOKEN_NAME];
    await server.stop();
  };
}

/** The run's server, or a server of this worker's own if none is shared. */
export async function sharedServer(): Promise<Server> {
  const url = process.env[URL_NAME];
  if (!url) return startUnderstudy();
  const adminToken = process.env[TOKEN_NAME];
  return connect({ url, ...(adminToken ? { adminToken } : {}) });
}
