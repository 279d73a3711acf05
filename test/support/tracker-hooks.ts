import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { TestApp } from './app.js';
import { createDatabase, serverUrl } from './databases.js';
import { closeReceivers, eventually, receiver, type Received } from './receiver.js';
import type { OrganizationBuilder } from './tracker.js';

export const TYPES = ['Issue', 'Comment', 'IssueLabel', 'Project', 'Cycle', 'User'] as const;

/** A server for one file on a store of its own, so that no other server sends its deliveries; retries are immediate. */
export function useDeliveringApp(): { readonly app: TestApp } {
  const server = {} as { app: TestApp };
  let drop: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const database = serverUrl === undefined ? undefined : await createDatabase();
    drop = database?.drop;
    server.app = await TestApp.start({
      SVC_WEBHOOK_RETRY_DELAYS: '0,0,0',
      ...(database ? { DATABASE_URL: database.url } : {}),
    });
  });
  afterEach(() => server.app.clock.reset());
  afterAll(async () => {
    await server.app.stop();
    await drop?.();
  });
  closeReceivers();
  return server;
}

export interface Hook {
  id: string;
  secret: string;
  /** Bodies that the official client's handler accepted, in order. */
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of bodies freely
  heard: any[];
  /** The statuses that it answered. */
  answers: number[];
  received: Received[];
  /** Waits until this number of requests is answered. */
  until: (count: number) => Promise<void>;
  /** If set, answers with this status, and the handler is not called. */
  refuse: (() => number | Promise<number>) | undefined;
  setSecret: (secret: string) => void;
}

/** Creates a webhook whose requests the official client's handler receives. */
export async function hookOf(
  org: OrganizationBuilder,
  input: { readonly resourceTypes?: readonly string[]; readonly [field: string]: unknown } = {},
): Promise<Hook> {
  const end = await receiver();
  const resourceTypes = [...(input.resourceTypes ?? TYPES)];
  const made = await org.client().createWebhook({ url: end.url, ...input, resourceTypes });
  const { id, secret } = (await made.webhook)!;
  let handler: ReturnType<LinearWebhookClient['createHandler']>;
  const hook: Hook = {
    id,
    secret: secret as string,
    heard: [],
    answers: [],
    received: end.received,
    // a request is counted before its answer, so the receiver's own `until` would be too early
    until: (count) => eventually(() => hook.answers.length >= count, `${count} answers`),
    refuse: undefined,
    setSecret(value) {
      handler = new LinearWebhookClient(value).createHandler();
      for (const type of resourceTypes as (typeof TYPES)[number][])
        handler.on(type, (payload) => void hook.heard.push(payload));
    },
  };
  hook.setSecret(hook.secret);
  const answer = async (request: Received): Promise<number> => {
    if (hook.refuse) return hook.refuse();
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    return (await handler(new Request(end.url, { method: 'POST', headers, body: request.body }))).status;
  };
  end.answer = (request, reply) =>
    void answer(request).then((status) => {
      hook.answers.push(status);
      reply.writeHead(status).end();
    });
  return hook;
}
