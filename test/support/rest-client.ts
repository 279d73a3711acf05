import type { TestApp } from './app.js';
import { checkRest } from './payload-checks.js';

export interface RestAnswer {
  status: number;
  headers: Headers;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- specs read fields of answers freely
  body: any;
}

export interface RestOptions {
  token?: string | undefined;
  /** Sent as JSON; texts and form data are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** Calls a route of the control plane, as in `GET /workspaces`; the answer goes through the payload checks. */
export async function rest(app: TestApp, route: string, options: RestOptions = {}): Promise<RestAnswer> {
  const [method, path] = route.split(' ') as [string, string];
  const { token, body } = options;
  const isText = typeof body === 'string' || body instanceof URLSearchParams;
  const response = await fetch(`${app.baseUrl}/api${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const answer = { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
  checkRest(route, answer.body, `${text} ${JSON.stringify([...response.headers])}`);
  return answer;
}

/** The body of an error. */
export const refusal = (statusCode: number, message: string): object => ({
  statusCode,
  message,
  error: reasonOf(statusCode),
});

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  502: 'Bad Gateway',
};
const reasonOf = (status: number): string => REASONS[status] as string;
