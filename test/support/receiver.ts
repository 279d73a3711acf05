import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** A request as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** performance.now() */
  readonly at: number;
  /** The sender's port. */
  readonly from: number;
}

/** An HTTP server on loopback that receives webhooks. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Answers the following requests; by default with 200. A request hangs if `end` is not called. */
  answer: (request: Received, reply: ServerResponse) => void;
  /** Resolves when `condition` is met; checked after each request. @throws after 15 s, listing what arrived */
  until(condition: (received: Received[]) => boolean): Promise<Received[]>;
  close(): Promise<void>;
}

const open: Receiver[] = [];

/** Starts a receiver, which is stopped with the spec file. */
export async function receiver(answer: Receiver['answer'] = (_, reply) => void reply.end()): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const received: Received[] = [];
  const server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        at: performance.now(),
        from: request.socket.remotePort ?? 0,
      };
      received.push(one);
      self.answer(one, reply);
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const self: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer,
    until(condition) {
      return new Promise((resolve, reject) => {
        const look = (): void => {
          if (!condition(received)) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(received);
        };
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`it did not come; ${received.length} requests did: ${JSON.stringify(received.slice(-5))}`));
        }, 15_000);
        waiting.add(look);
        look();
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  open.push(self);
  return self;
}

/** Must be called once in a spec file that starts receivers. */
export function closeReceivers(): void {
  afterAll(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
}

/** Resolves when `condition` answers true, checked every 20 ms. @throws after 15 s by default, with `what` */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  withinMs = 15_000,
): Promise<void> {
  const end = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((again) => setTimeout(again, 20));
  }
}
