import type { FastifyReply } from 'fastify';

/** How often a slow answer continues, in milliseconds. */
const STEP_MS = 100;

/** Closes the connection without an answer. */
export function endWithout(reply: FastifyReply): void {
  if (!reply.sent) reply.hijack();
  reply.raw.destroy();
  reply.raw.socket?.destroy();
}

/** Announces the full length and sends half of it. */
export function writeHalf(reply: FastifyReply, payload: unknown): void {
  const bytes = begin(reply, payload);
  reply.raw.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => {
    setImmediate(() => endWithout(reply));
  });
}

/** Sends this many bytes a second, until all are sent or the time is over. */
export function trickle(reply: FastifyReply, payload: unknown, bytesPerSecond: number, longestMs: number): void {
  const bytes = begin(reply, payload);
  const startedAt = performance.now();
  let sent = 0;
  const step = (): void => {
    const elapsed = performance.now() - startedAt;
    const due = Math.min(bytes.length, Math.floor((elapsed / 1000) * bytesPerSecond));
    if (due > sent) reply.raw.write(bytes.subarray(sent, due));
    sent = due;
    if (sent === bytes.length) return finish(() => reply.raw.end());
    if (elapsed >= longestMs) finish(() => endWithout(reply));
  };
  const timer = setInterval(step, STEP_MS);
  const finish = (end: () => void): void => {
    clearInterval(timer);
    end();
  };
  reply.raw.once('close', () => clearInterval(timer));
}

function begin(reply: FastifyReply, payload: unknown): Buffer {
  const bytes = Buffer.isBuffer(payload) ? payload : Buffer.from(typeof payload === 'string' ? payload : '');
  const headers = { ...reply.getHeaders(), 'content-length': String(bytes.length) };
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, headers as Record<string, string>);
  return bytes;
}
