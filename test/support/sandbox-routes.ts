import type { TestApp } from './app.js';

/** An answer of a route of sandboxes. */
export interface Answer {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read deep into answers
  body: any;
}

/** The credential of operators in the specs. */
export const OPERATOR = { 'x-admin-token': 'operator-of-the-tests' };

/** The parts of a request. */
export type Call = [method: string, path: string, headers: Record<string, string>, body?: unknown];

/** Sends a request with JSON, or with YAML where the body is a text. An answer that is not JSON is a text. */
export async function send(app: TestApp, ...[method, path, headers, body]: Call): Promise<Answer> {
  const isText = typeof body === 'string';
  const type: Record<string, string> =
    body === undefined ? {} : { 'content-type': isText ? 'application/yaml' : 'application/json' };
  const response = await fetch(`${app.baseUrl}${path}`, {
    method,
    headers: { ...headers, ...type },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

/** Creates a sandbox from a document, and answers its control token as headers. */
export async function makeSandbox(
  app: TestApp,
  document: object = {},
): Promise<Answer & { ctl: Record<string, string> }> {
  const made = await send(app, 'POST', '/api/sandboxes', OPERATOR, document);
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return { ...made, ctl: { 'x-sandbox-token': String(made.body.credentials.control_token) } };
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Ids are words; a secret, which a copy keeps, may have the letters of one anywhere. */
const IDS =
  /(?<![\w-])(?:[A-Z][a-z]?0[0-9A-Z]{9}|[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})(?![\w-])/g;

/** All ids of what is in an answer. */
export const idsOf = (value: unknown): string[] => JSON.stringify(value).match(IDS) ?? [];
