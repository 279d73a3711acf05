import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { IncomingMessage } from 'node:http';
import type { ServerOptions } from 'socket.io';
import { RequestOrigins } from '../http/request-origins.js';

/**
 * Socket.IO on the HTTP server of the application. The gateway closes sockets and draining closes the server; if this
 * adapter closed both as well, they would wait for each other.
 */
export class RealtimeAdapter extends IoAdapter {
  constructor(private readonly application: INestApplicationContext) {
    super(application);
  }

  /** Only pages that may connect get CORS headers. Upgrades of other paths are left to their own handlers. */
  override createIOServer(port: number, options?: ServerOptions): ReturnType<IoAdapter['createIOServer']> {
    const origins = this.application.get(RequestOrigins);
    const cors = (request: IncomingMessage, decide: (error: null, cors: object) => void): void => {
      const { origin, host } = request.headers;
      decide(null, { origin: origin !== undefined && origins.allows(origin, host) ? origin : false });
    };
    return super.createIOServer(port, {
      ...options,
      cors,
      destroyUpgrade: false,
    } as unknown as ServerOptions) as ReturnType<IoAdapter['createIOServer']>;
  }

  override async close(): Promise<void> {}
}
