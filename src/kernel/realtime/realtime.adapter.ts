import { IoAdapter } from '@nestjs/platform-socket.io';

/**
 * Socket.IO on the HTTP server of the application. Sockets are closed by the gateway and the server by whoever drains
 * it; closing both here as well would wait for each other.
 */
export class RealtimeAdapter extends IoAdapter {
  override async close(): Promise<void> {}
}
