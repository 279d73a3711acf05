import { urlOf } from './base.js';
import { ApiError } from './errors.js';
import { firstAnswer } from './first-answers.js';
import { withRetries } from './retries.js';
import { personaToken } from './persona.js';
import { ended, ownToken, renew, sessionStore } from './session.js';

/** Who calls: the person this tab acts as, or the person who signed in. */
export type As = 'persona' | 'self';

interface CallOptions {
  readonly as?: As;
  readonly signal?: AbortSignal;
}

/** Errors that end this tab's session: it goes to the sign-in page, which shows the reason. */
const OVER = new Set(['token_revoked', 'account_inactive']);

const tokenOf = (as: As): Promise<string> => (as === 'self' ? ownToken() : personaToken());

/** Whether calls are made as the signed-in person, whichever caller is asked for. */
function isOwn(): boolean {
  const state = sessionStore.get();
  return state.kind === 'in' && state.persona === null;
}

async function send(path: string, init: RequestInit, as: As): Promise<Response> {
  const first = isOwn() ? await firstAnswer(path, init.body) : undefined;
  if (first) return first;
  const token = await tokenOf(as);
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
  return fetch(urlOf(path), { ...init, headers }).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new ApiError('offline', 0);
  });
}

const retryAfter = (response: Response): number | undefined => {
  const value = response.headers.get('retry-after');
  return value === null ? undefined : Number(value);
};

function checkOver(code: string, as: As): void {
  const state = sessionStore.get();
  if (OVER.has(code) && (as === 'self' || (state.kind === 'in' && !state.persona))) ended(code);
}

/** Methods that change nothing, so they may be retried. */
const READS = /\.(list|info|history|replies|members|messages|get|test)$/;

/**
 * Calls a method of the Web API; a method that only reads is retried while the server is busy or unreachable.
 * @throws ApiError
 */
export function call<T = Record<string, unknown>>(
  method: string,
  args: object = {},
  options: CallOptions = {},
): Promise<T> {
  const once = (): Promise<T> => callOnce<T>(method, args, options);
  return READS.test(method) ? withRetries(once, options.signal) : once();
}

async function callOnce<T>(method: string, args: object, { as = 'persona', signal }: CallOptions): Promise<T> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(args),
    ...(signal ? { signal } : {}),
  };
  for (let again = true; ; again = false) {
    const response = await send(`api/${method}`, init, as);
    const body = (await response.json().catch(() => ({ ok: false, error: 'internal_error' }))) as {
      ok: boolean;
      error?: string;
      errors?: string[];
      response_metadata?: { messages?: string[] };
    };
    if (body.ok) return body as T;
    const code = body.error ?? 'internal_error';
    if (code === 'token_expired' && again) {
      await renew();
      continue;
    }
    checkOver(code, as);
    throw new ApiError(code, response.status, body.response_metadata?.messages ?? [], retryAfter(response), body);
  }
}

interface RestOptions extends CallOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** Receives the request id of the call once it was answered. */
  readonly onRequestId?: (id: string | undefined) => void;
}

const requestIdOf = (response: Response): string | undefined => response.headers.get('x-request-id') ?? undefined;

/**
 * Calls a route of the control plane: `GET /apps`; reads are retried as above.
 * @throws ApiError
 */
export function rest<T = Record<string, unknown>>(route: string, options: RestOptions = {}): Promise<T> {
  const once = (): Promise<T> => restOnce<T>(route, options);
  return /^GET |^POST \/ui\/sidebar$/.test(route) ? withRetries(once, options.signal) : once();
}

async function restOnce<T>(
  route: string,
  { as = 'self', signal, body, headers = {}, onRequestId }: RestOptions,
): Promise<T> {
  const [verb = 'GET', path = ''] = route.split(' ');
  const init = {
    method: verb,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  };
  for (let again = true; ; again = false) {
    const response = await send(`api${path}`, init, as);
    onRequestId?.(requestIdOf(response));
    if (response.ok) {
      const text = await response.text();
      return (text === '' ? {} : JSON.parse(text)) as T;
    }
    const failure = (await response.json().catch(() => ({}))) as { message?: string | string[] };
    const messages = Array.isArray(failure.message) ? failure.message : [failure.message ?? 'internal_error'];
    const code = messages[0] ?? 'internal_error';
    if (code === 'token_expired' && again) {
      await renew();
      continue;
    }
    checkOver(code, as);
    throw new ApiError(code, response.status, messages.slice(1), retryAfter(response), failure, requestIdOf(response));
  }
}

/** Downloads a file of this server with the token. */
export async function blobOf(url: string, as: As = 'persona'): Promise<Blob> {
  const { pathname, search } = new URL(url, document.baseURI);
  const base = new URL(document.baseURI).pathname;
  const path = pathname.startsWith(base) ? pathname.slice(base.length) : pathname;
  const response = await send(path + search, {}, as);
  if (!response.ok) throw new ApiError('file_not_found', response.status);
  return response.blob();
}

/** Opens a stream of server-sent events. */
export const openStream = (path: string, signal: AbortSignal): Promise<Response> =>
  send(`api${path}`, { signal, headers: { accept: 'text/event-stream' } }, 'self');
