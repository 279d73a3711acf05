// The routes of sandboxes, as the bench calls them.
import { ADMIN_TOKEN } from './servers.mjs';

export async function call(url, method, path, headers, body, status) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

const operator = { 'x-admin-token': ADMIN_TOKEN };
export const create = (url, document) => call(url, 'POST', '/api/sandboxes', operator, document, 201);
export const own = (made) => ({ 'x-sandbox-token': made.credentials.control_token });
export const remove = (url, made) => call(url, 'DELETE', '/api/sandboxes/self', own(made), undefined, 200);
