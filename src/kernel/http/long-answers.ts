import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';
import { ownTurn } from '../clock/long-work.js';

/** Longer texts leave in pieces of this many characters; one is encoded in about 2 ms. */
const PIECE = 262_144;

/**
 * Encodes long answers piece by piece, with other calls in between: a page of 40 MB held them up for 400 ms at once.
 * To be called after the hooks that read the answer's text were added.
 */
export function sendInPieces(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length <= PIECE) return done(null, payload);
    reply.header('content-length', Buffer.byteLength(payload));
    done(null, Readable.from(pieces(payload), { objectMode: false, highWaterMark: PIECE }));
  });
}

/** A text as UTF-8. A pair of surrogates stays together, as halves cannot be encoded. */
export async function* pieces(text: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + PIECE, text.length);
    if (end < text.length && isFirstOfPair(text.charCodeAt(end - 1))) end--;
    yield Buffer.from(text.slice(at, end));
    at = end;
    await ownTurn();
  }
}

const isFirstOfPair = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
