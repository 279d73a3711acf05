// A sandbox with a long channel, and calls to it as its bot and with its control token.
import { ADMIN_TOKEN } from '../servers.mjs';

/** The most messages one document may hold, less the fifty of #short. */
const MAX_MESSAGES = 49_950;

async function send(url, method, path, headers, body) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok || answer.ok === false)
    throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer).slice(0, 300)}`);
  return answer;
}

/** @param messages the number in `#long`; `#short` has fifty */
export async function makeSandbox(url, messages) {
  const channels = (long, short) => [
    { name: 'long', members: ['alice', 'bench-bot'], messages: long },
    { name: 'short', members: ['alice', 'bench-bot'], messages: short },
  ];
  const made = await send(
    url,
    'POST',
    '/api/sandboxes',
    { 'x-admin-token': ADMIN_TOKEN },
    {
      name: 'bench',
      journal: true,
      users: [{ name: 'alice', real_name: 'Alice Doe', is_admin: true }],
      apps: [{ name: 'bench-bot', scopes: { bot: ['chat:write', 'channels:read', 'channels:history'] } }],
      channels: channels(Math.min(messages, MAX_MESSAGES), 50),
    },
  );
  const control = { 'x-sandbox-token': made.credentials.control_token };
  for (let left = messages - MAX_MESSAGES; left > 0; left -= MAX_MESSAGES) {
    // messages of a document are a millisecond apart, the last one now
    await send(url, 'POST', '/api/sandboxes/self/clock/advance', control, { seconds: 120 });
    const more = { channels: [{ name: 'long', messages: Math.min(left, MAX_MESSAGES) }] };
    await send(url, 'POST', '/api/sandboxes/self/seed', control, more);
  }
  const bot = { authorization: `Bearer ${made.credentials.apps['bench-bot'].bot_token}` };
  const listed = await send(url, 'POST', '/api/conversations.list', bot, { limit: 100 });
  const idOf = (name) => listed.channels.find((channel) => channel.name === name).id;
  return {
    url,
    botHeaders: bot,
    team: made.team_id,
    long: idOf('long'),
    short: idOf('short'),
    post: (channel, text) => send(url, 'POST', '/api/chat.postMessage', bot, { channel, text }),
    control: (method, path, body) => send(url, method, `/api/sandboxes/self${path}`, control, body),
    async link(to) {
      return (await send(url, 'POST', '/api/sandboxes/self/ui-link', control, { user: 'alice', to })).url;
    },
  };
}
