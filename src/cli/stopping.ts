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
  /** How long calls under way may take to finish. */
  graceMs: number;
}

/** Beyond the grace: for closing sockets and the store, which do not wait for clients. */
const CLOSING_MS = 2_000;

/** A signal that comes sooner is the same once more: npm passes on what the terminal sends to both. */
const IMPATIENT_MS = 1_000;

/** SIGTERM and SIGINT end the process in order; a second one at once. */
export function stopOnSignals(running: Running): void {
  let since: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (since !== undefined) {
      if (Date.now() - since > IMPATIENT_MS) process.exit(1);
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

/** Readiness fails first, while calls are still taken; then the calls under way finish, all within the grace. */
async function shutDown({ app, store, operators, log, graceMs }: Running): Promise<void> {
  operators?.close();
  const noticeMs = Math.min(app.get(Lifecycle).drain(), graceMs / 2);
  if (noticeMs > 0) await setTimeout(noticeMs);
  // sockets first: open ones would keep the server from draining
  const leftMs = graceMs - noticeMs;
  await Promise.all([app.get(RealtimeGateway).close(), drain(app.getHttpServer() as Server, leftMs)]);
  await app.close();
  await store.close();
  log.info('stopped');
}
