import { connect, startUnderstudy, type Server, type StartOptions } from './server.js';

/** The names under which a run's server is known to its workers. */
export const URL_NAME = 'UNDERSTUDY_URL';
export const TOKEN_NAME = 'UNDERSTUDY_ADMIN_TOKEN';

/** Starts a run's server, unless one is named; answers what ends it. For the global set-up of a test runner. */
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

/** The run's server, or one of this worker's own where none is shared. */
export async function sharedServer(): Promise<Server> {
  const url = process.env[URL_NAME];
  if (!url) return startUnderstudy();
  const adminToken = process.env[TOKEN_NAME];
  return connect({ url, ...(adminToken ? { adminToken } : {}) });
}
