import type { TestApp } from './app.js';

export interface RestCall {
  /** Sent as `Bearer <token>`. */
  token?: string;
  /** The complete header. */
  authorization?: string;
  body?: unknown;
}

export interface RestAnswer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of answers freely
  body: Record<string, any>;
}

/** A control-plane call with JSON; it does not throw on 4xx. */
export async function callRest(app: TestApp, method: string, path: string, call: RestCall = {}): Promise<RestAnswer> {
  const authorization = call.authorization ?? (call.token === undefined ? undefined : `Bearer ${call.token}`);
  const response = await fetch(`${app.baseUrl}${path}`, {
    method,
    headers: {
      ...(authorization === undefined ? {} : { authorization }),
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as RestAnswer['body'] };
}
