import type { Duplex } from 'node:stream';
import { restErrorBody } from './http-error.js';

const STATUS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not Found',
  503: 'Service Unavailable',
};

/** Refuses a WebSocket upgrade with a REST error and closes the connection. */
export function refuseUpgrade(socket: Duplex, status: 403 | 404 | 503, message: string): void {
  const body = JSON.stringify(restErrorBody(status, message));
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
