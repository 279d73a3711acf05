import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Call, Calls, FaultDialect, PlainAnswer } from '../../kernel/http/calls.js';
import { restErrorBody } from '../../kernel/http/http-error.js';
import { trackerErrors, type TrackerErrorKind } from '../values/error-catalogue.js';
import type { Viewer } from './viewer.js';

/** Reports a call of the tracker to the journal and to fault rules. Returns the call, to be completed. */
export function beginCall(
  calls: Calls,
  [request, reply]: readonly [FastifyRequest, FastifyReply],
  viewer: Viewer,
  about: { method: string; methods?: readonly string[]; args: unknown; isRead: boolean },
): Call {
  const { ui, client, actedBy, oauth, apiKeyId, releaseKey } = viewer;
  // inspecting must not change what is inspected: reads of the web UI are neither recorded nor affected by faults
  const unseen = ui === true && about.isRead;
  const call: Call = {
    tenantId: viewer.tenantId,
    product: 'tracker',
    method: about.method,
    ...(about.methods && about.methods.length > 1 && { methods: about.methods }),
    caller: {
      kind: oauth ? 'oauth' : apiKeyId === null && !releaseKey ? 'jwt' : 'api_key',
      ...(oauth && { app_id: oauth.applicationId, app: oauth.applicationName }),
      user_id: viewer.userId,
      user: viewer.displayName,
    },
    args: about.args,
    journal: viewer.sandbox?.journal === true && !unseen,
    hasFaults: viewer.sandbox?.hasFaults === true && !unseen,
    ...(ui === true && { client: 'ui' as const }),
    ...(client && { client }),
    ...(actedBy !== undefined && { actedBy }),
  };
  calls.begin(request, reply, call);
  return call;
}

const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** The catalogue row of a code, for its `type`; unknown codes are `other`. */
const typeOf = (code: string): string =>
  (Object.values(trackerErrors) as { code: string; type: string }[]).find((row) => row.code === code)?.type ?? 'other';

const refusal = (
  {
    code,
    type,
    status,
    statusCode,
    message,
    meta,
  }: {
    code: string;
    type: string;
    status: number;
    statusCode: number;
    message: string;
    meta?: object;
  },
  headers: Readonly<Record<string, string>> = {},
): PlainAnswer => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify({
    errors: [
      {
        message,
        extensions: {
          type,
          code,
          statusCode,
          userError: true,
          userPresentableMessage: message,
          ...(meta && { meta }),
          ...(status !== 200 && { http: { status, headers: {} } }),
        },
      },
    ],
    ...(status === 200 && { data: null }),
  }),
});

const known = (kind: TrackerErrorKind): { code: string; type: string; statusCode: number; status: number } => {
  const { code, type, statusCode, http } = trackerErrors[kind];
  return { code, type, statusCode, status: http };
};

/** The answer to a refused GraphQL request, with the headers of budgets that were not used. */
export const graphqlFaults = (budgets: Readonly<Record<string, string>>, limit: number): FaultDialect => ({
  ratelimited: (seconds) => {
    const message = `Rate limit exceeded. Only ${limit} requests are allowed per 1 hour.`;
    const rateLimitResult = { allowed: false, requested: 1, remaining: 0, duration: 3_600_000, limit };
    return refusal(
      { ...known('budgetEmpty'), message, meta: { rateLimitResult } },
      { ...budgets, 'x-ratelimit-requests-remaining': '0', 'retry-after': String(seconds) },
    );
  },
  error: ({ error, status, message }) => {
    const row = (Object.values(trackerErrors) as { code: string; statusCode: number; http: number }[]).find(
      ({ code }) => code === error,
    );
    return refusal(
      {
        code: error,
        type: typeOf(error),
        statusCode: row?.statusCode ?? status ?? 400,
        status: status ?? row?.http ?? 200,
        message: message ?? error,
      },
      budgets,
    );
  },
  unavailable: (seconds) =>
    refusal(
      { ...known('unavailable'), message: 'Service unavailable' },
      { ...budgets, 'retry-after': String(seconds) },
    ),
});

const rest = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): PlainAnswer => ({
  status,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(restErrorBody(status, message)),
});

/** The answer to a refused call of the tracker's control plane. */
export const trackerRestFaults: FaultDialect = {
  ratelimited: (seconds) => rest(429, 'ratelimited', { 'retry-after': String(seconds) }),
  error: ({ error, status }) => rest(status ?? 400, error),
  unavailable: (seconds) => rest(503, 'service_unavailable', { 'retry-after': String(seconds) }),
};
