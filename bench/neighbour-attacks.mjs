// Worst-case loads of one tenant, in a process of their own, so that the neighbour's times do not include the load
// generator's.
import http from 'node:http';
import net from 'node:net';

const CONNECTIONS = 64;
/** Connections of one further attack: 200 of a tenant's calls may wait, and these are to be refused. */
const MANY_CONNECTIONS = { 'callers that retry at once': 500 };
/**
 * Source addresses of their own: each address may hold a limited number of connections, and the neighbour uses another
 * one.
 */
const FROM = '127.0.0.2';

const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity, localAddress: FROM });

function send(url, path, headers, body) {
  return new Promise((done) => {
    const text = JSON.stringify(body);
    const request = http.request(`${url}${path}`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers },
    });
    request.on('response', (answer) => answer.resume().on('end', done).on('error', done));
    request.on('error', done);
    request.end(text);
  });
}

const deep = (title) =>
  `{ issues(filter: { project: { issues: { some: { project: { issues: { some: { title: { contains: "${title}" } } } } } } } }) { nodes { id } } }`;
const costly = (text) =>
  `{ issues(filter: { or: [${`{ description: { containsIgnoreCaseAndAccent: "${text}" } }`.repeat(20)}] }) { nodes { id } } }`;
const aliases = (count, field) => `{ ${Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')} }`;
const INTROSPECTION =
  '__schema { types { name fields { name type { name ofType { name } } args { name } } inputFields { name } } }';

/** One request of each attack that consists of calls: path, headers, body. */
export const calls = (t) => {
  const [bot, user] = [t.bot, t.user].map((authorization) => ({ authorization }));
  const graphql = (query) => ['/graphql', { authorization: t.key }, { query }];
  return {
    'posts into one channel': () => ['/api/chat.postMessage', bot, { channel: t.channels[0], text: 'hot' }],
    'posts into all channels': (n) => ['/api/chat.postMessage', bot, { channel: t.channels[n % 20], text: 'hot' }],
    'posts of 40,000 characters': () => [
      '/api/chat.postMessage',
      bot,
      { channel: t.channels[1], text: 'word '.repeat(7_999) },
    ],
    'filters over relations': (n) => graphql(deep(`x${n}`)),
    'filters over long texts': (n) => graphql(costly(`x${n}`)),
    'sixty pages of 250 issues': () =>
      graphql(aliases(60, 'issues(first: 250) { nodes { id title description identifier } }')),
    introspection: () => graphql(aliases(9, INTROSPECTION)),
    'introspection beyond the limit': () => graphql(aliases(900, INTROSPECTION)),
    'issues one by one': (n) =>
      graphql(`mutation { issueCreate(input: { teamId: "${t.team}", title: "i${n}" }) { success } }`),
    'searches for many letters': () => [
      '/api/search.messages',
      user,
      { query: 'a b c d e f g h i j k l m n o p q r s t', highlight: true, count: 100 },
    ],
    'users.list and history': (n) =>
      n % 2
        ? ['/api/users.list', bot, { limit: 1000 }]
        : ['/api/conversations.history', bot, { channel: t.channels[0], limit: 999 }],
    'logins with wrong passwords': (n) => [
      '/api/auth/login',
      {},
      { email: `nobody${n}@example.com`, password: 'not the one' },
    ],
    'sign-ups': (n) => [
      '/api/auth/signup',
      {},
      { email: `new${n}.${process.pid}@example.com`, password: 'a good password', name: `new ${n}` },
    ],
    'provisioning of 200 users': (n) => [
      '/api/admin/provision',
      { 'x-admin-token': t.operator },
      { team: { name: `big ${n}` }, users: Array.from({ length: 200 }, (_, i) => ({ name: `u${i}` })) },
    ],
    'callers that retry at once': () => ['/api/users.list', bot, { limit: 1000 }],
    'posts to a hundred targets that hang': (n) => [
      '/api/chat.postMessage',
      bot,
      { channel: t.channels[n % 20], text: 'hanging' },
    ],
  };
};

export const NAMES = [...Object.keys(calls({ channels: [] })), 'requests that are half sent', 'a crowd that listens'];

/** The data that an attack reads; over empty tables nothing is slow. */
export const NEEDS = {
  'filters over relations': { issues: true },
  'filters over long texts': { issues: true },
  'sixty pages of 250 issues': { issues: true },
  'searches for many letters': { messages: true },
  'users.list and history': { messages: true },
};

async function halfSent(url) {
  const { hostname, port } = new URL(url);
  const head =
    'POST /api/auth.test HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
  const open = () => {
    const socket = net.connect({ host: hostname, port: Number(port), localAddress: `127.0.0.${3 + (opened++ % 4)}` });
    socket.on('error', () => undefined).on('close', () => setTimeout(open, 50));
    socket.write(head);
  };
  let opened = 0;
  for (let i = 0; i < 2_050; i++) open();
}

async function crowd(url, t) {
  const { io } = await import('socket.io-client');
  for (let i = 0; i < 50; i++) io(url, { auth: { token: t.bot.slice(7) }, forceNew: true, transports: ['websocket'] });
  return calls(t)['posts into all channels'];
}

async function hangingTargets(url, t) {
  const hanging = http.createServer(() => undefined);
  await new Promise((listening) => hanging.listen(0, '127.0.0.1', listening));
  for (let i = 0; i < 90; i++) {
    const target = `http://127.0.0.1:${hanging.address().port}/${i}`;
    await send(url, '/api/webhooks/outgoing', { authorization: t.user }, { url: target, events: ['message'] });
  }
}

async function attack({ url, tenant, name }) {
  let call = calls(tenant)[name];
  if (name === 'requests that are half sent') return halfSent(url);
  if (name === 'a crowd that listens') call = await crowd(url, tenant);
  if (name === 'posts to a hundred targets that hang') await hangingTargets(url, tenant);
  let n = 0;
  const loop = async () => {
    for (;;) await send(url, ...call(n++));
  };
  for (let i = 0; i < (MANY_CONNECTIONS[name] ?? CONNECTIONS); i++) void loop();
}

// forked by the parent; it ends with the parent, or when it is killed
if (process.send) {
  process.once('message', (wish) => void attack(wish).then(() => process.send('begun')));
  process.once('disconnect', () => process.exit());
}
