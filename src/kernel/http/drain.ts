import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { stopListening } from './listeners.js';

/** How often idle connections are closed while the server drains, in milliseconds. */
const SWEEP_MS = 50;

/**
 * Stops listening, lets running calls finish, and closes each connection as soon as it is idle. Calls that arrive
 * meanwhile on an open connection are still answered, with `connection: close`. Resolves when the last connection is
 * gone, or after `graceMs`, when the remaining ones are cut.
 */
export async function drain(server: Server, graceMs: number): Promise<void> {
  server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('connection', 'close');
  });
  const closed = stopListening(server);
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  server.closeIdleConnections();
  let deadline: NodeJS.Timeout | undefined;
  const expired = new Promise<void>((resolve) => {
    deadline = setTimeout(() => {
      server.closeAllConnections();
      resolve(); // does not include upgraded sockets, which the application closes
    }, graceMs);
  });
  await Promise.race([closed, expired]);
  clearInterval(sweep);
  clearTimeout(deadline);
}
