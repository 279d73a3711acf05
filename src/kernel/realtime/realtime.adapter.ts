import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { IncomingMessage } from 'node:http';
import type { ServerOptions } from 'socket.io';
import { RequestOrigins } from '../http/request-origins.js';

/**
 * Socket.IO on the HTTP server of the application. Sockets are closed by the gateway and the server by whoever drains
 * it; closing both here as well would wait for each other.
 */
export class RealtimeAdapter extends IoAdapter {
  constructor(private readonly application: INestApplicationContext) {
    super(application);
  }

  /**
   * Only pages that may connect are told that they may read the answers. Upgrades elsewhere are not its business: who
   * serves them answers them.
   */
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
