import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Server } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Store } from '../kernel/database/store.js';
import { drain } from '../kernel/http/drain.js';
import { Lifecycle } from '../kernel/http/lifecycle.js';
import type { Log } from '../kernel/log/log.js';
import { RealtimeGateway } from '../kernel/realtime/realtime.gateway.js';
import type { OperatorChannel } from './operator-channel.js';

interface Running {
  app: NestFastifyApplication;
  store: Store;
  operators: OperatorChannel | undefined;
  log: Log;
  /** How long running calls may take to finish. */
  graceMs: number;
}

/** Time beyond the grace period for closing sockets and the store, which do not wait for clients. */
const CLOSING_MS = 2_000;

/**
 * A second signal within this time is a duplicate of the first: npm forwards what the terminal already sends to both.
 */
const DUPLICATE_SIGNAL_MS = 1_000;

/** The first SIGTERM or SIGINT stops the process gracefully; a second one stops it at once. */
export function stopOnSignals(running: Running): void {
  let since: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (since !== undefined) {
      if (Date.now() - since > DUPLICATE_SIGNAL_MS) process.exit(1);
      return;
    }
    since = Date.now();
    running.log.info(`${signal}: stopping`);
    globalThis.setTimeout(() => process.exit(1), running.graceMs + CLOSING_MS).unref();
    shutDown(running).then(
      () => process.exit(0),
      (error: unknown) => {
        running.log.error('stopping failed', { error });
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** Readiness fails first, while calls are still accepted; then running calls finish, all within the grace period. */
async function shutDown({ app, store, operators, log, graceMs }: Running): Promise<void> {
  operators?.close();
  const noticeMs = Math.min(app.get(Lifecycle).drain(), graceMs / 2);
  if (noticeMs > 0) await setTimeout(noticeMs);
  // sockets first: open ones would keep the server from closing
  const leftMs = graceMs - noticeMs;
  await Promise.all([app.get(RealtimeGateway).close(), drain(app.getHttpServer() as Server, leftMs)]);
  await app.close();
  await store.close();
  log.info('stopped');
}
