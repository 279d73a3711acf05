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

export const quantile = (times, share) =>
  times.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(times.length * share) - 1)];

/** A document of about this many rows. */
export const documentOf = (rows) => ({
  users: 10,
  channels: Array.from({ length: 10 }, (_, i) => ({
    name: `channel-${i}`,
    members: ['user-1', 'user-2'],
    messages: Math.max(0, Math.floor((rows * 0.8) / 10)),
  })),
  tracker: {
    teams: [
      { key: 'ENG', issues: Array.from({ length: Math.floor(rows * 0.1) }, (_, i) => ({ title: `Issue ${i}` })) },
    ],
  },
});

/** Runs work and keeps how long it took, in ms. */
export async function timed(times, work) {
  const begun = performance.now();
  const answer = await work();
  times.push(performance.now() - begun);
  return answer;
}

/** Twenty changes, as a typical test makes them. */
export async function change(url, { credentials }) {
  const headers = { authorization: `Bearer ${credentials.bot_token}` };
  for (let i = 0; i < 20; i++) {
    const answer = await call(
      url,
      'POST',
      '/api/chat.postMessage',
      headers,
      { channel: '#general', text: `change ${i}` },
      200,
    );
    if (!answer.ok) throw new Error(answer.error);
  }
}
