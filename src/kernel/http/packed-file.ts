import { createReadStream } from 'node:fs';
import { createBrotliDecompress, createGzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Whether the client takes this content coding. */
export const accepts = (request: FastifyRequest, coding: 'br' | 'gzip'): boolean =>
  new RegExp(`\\b${coding}\\b`).test(String(request.headers['accept-encoding'] ?? ''));

/**
 * Sends a file that lies here compressed by Brotli alone. Browsers take that over https and from this machine; others
 * get it unpacked, by gzip where they take it. The content type is the caller's to set.
 */
export function sendPacked(file: string, request: FastifyRequest, reply: FastifyReply): void {
  const packed = createReadStream(file);
  void reply.header('Vary', 'Accept-Encoding');
  if (accepts(request, 'br')) return void reply.header('Content-Encoding', 'br').send(packed);
  const plain = packed.pipe(createBrotliDecompress());
  if (!accepts(request, 'gzip')) return void reply.send(plain);
  void reply.header('Content-Encoding', 'gzip').send(plain.pipe(createGzip()));
}
