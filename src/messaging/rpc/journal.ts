import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call, Calls, FaultDialect, PlainAnswer } from '../../kernel/http/calls.js';
import { restErrorBody } from '../../kernel/http/http-error.js';
import type { SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import type { Identity } from '../access/identity.js';
import { statusOf, type ErrorCode } from '../wire/codes.js';

/** Reports a call of the chat product to the journal and to fault rules. */
export function beginCall(
  calls: Calls,
  [request, reply]: readonly [FastifyRequest, FastifyReply],
  identity: Identity,
  about: { method: string; args: unknown; isRead: boolean },
): void {
  calls.begin(request, reply, callBy(identity, about));
}

/** A call as the journal shows it. */
export function callBy(identity: Identity, about: { method: string; args: unknown; isRead: boolean }): Call {
  const { sandbox, app } = identity;
  // looking must not change what is looked at: reads of the web UI are neither recorded nor hit
  const unseen = identity.ui === true && about.isRead;
  return {
    tenantId: identity.tenantId,
    product: 'chat',
    method: about.method,
    caller: {
      kind: identity.kind,
      ...(app && { app_id: app.id, app: app.name }),
      user_id: identity.userId,
      user: identity.userName,
    },
    args: about.args,
    journal: sandbox.journal && !unseen,
    hasFaults: sandbox.hasFaults && !unseen,
    ...(identity.ui === true && { client: 'ui' as const }),
    ...(identity.client && { client: identity.client }),
    ...actedBy(identity),
  };
}

const actedBy = (identity: Identity): { actedBy?: string } => {
  const { actedBy: admin } = identity as Identity & { actedBy?: string | null };
  return typeof admin === 'string' ? { actedBy: admin } : {};
};

/** A post to an incoming webhook, whose caller is its app. */
export function hookCall(
  hook: { tenantId: number; appId: string; appName: string },
  sandbox: SandboxFlags,
  args: unknown,
): Call {
  return {
    tenantId: hook.tenantId,
    product: 'chat',
    method: 'webhooks.incoming',
    caller: { kind: 'webhook', app_id: hook.appId, app: hook.appName },
    args,
    journal: sandbox.journal,
    hasFaults: sandbox.hasFaults,
  };
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** How a method is refused. @param requestId stands in the answer as in the timeline's entries */
export function rpcFaults(requestId: string): FaultDialect {
  const envelope = (error: string, status: number, headers: Readonly<Record<string, string>> = {}): PlainAnswer => ({
    status,
    headers: {
      ...JSON_TYPE,
      'x-slack-req-id': requestId,
      'cache-control': 'private, no-cache, no-store, must-revalidate',
      ...headers,
    },
    body: JSON.stringify({ ok: false, error }),
  });
  return {
    ratelimited: (seconds) => envelope('ratelimited', 429, { 'retry-after': String(seconds) }),
    error: ({ error, status }) => envelope(error, status ?? statusOf(error as ErrorCode)),
    unavailable: (seconds) => envelope('service_unavailable', 503, { 'retry-after': String(seconds) }),
  };
}

const rest = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): PlainAnswer => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(restErrorBody(status, message)),
});

/** How a route of the control plane is refused. */
export const restFaults: FaultDialect = {
  ratelimited: (seconds) => rest(429, 'ratelimited', { 'retry-after': String(seconds) }),
  error: ({ error, status }) => rest(status ?? 400, error),
  unavailable: (seconds) => rest(503, 'service_unavailable', { 'retry-after': String(seconds) }),
};

const text = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): PlainAnswer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8', ...headers },
  body: code,
});

/** How a post to an incoming webhook is refused. */
export const hookFaults: FaultDialect = {
  ratelimited: (seconds) => text(429, 'rate_limited', { 'retry-after': String(seconds) }),
  error: ({ error, status }) => text(status ?? 400, error),
  unavailable: (seconds) => text(503, 'service_unavailable', { 'retry-after': String(seconds) }),
};

/** `POST /api/apps/:id`: a route as it is declared, so that calls of one route go by one name. */
export const routeName = (request: FastifyRequest): string =>
  `${request.method} ${request.routeOptions.url ?? request.url.split('?', 1)[0]}`;
