import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { Listener } from '../support/listener.js';
import { eventually, receiver, type Received } from '../support/receiver.js';
import { bearer, makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';
import { closeSockets, openUrl, RawSocket } from '../support/socket-app.js';
import { WebSocket } from 'ws';

const app = useApp();
closeSockets();

// specs read nested fields freely
// oxlint-disable-next-line no-explicit-any
type Made = any;

const SCOPES = [
  'chat:write',
  'channels:read',
  'channels:history',
  'commands',
  'files:write',
  'files:read',
  'users:read',
];

/** Two forks of one sandbox whose app, and whose tracker's webhook, are told of what happens at this URL. */
async function forksAt(url: string): Promise<{ source: Made; forks: Made[] }> {
  const source = (
    await makeSandbox(app, {
      users: [{ name: 'alice', is_admin: true }, 'bob'],
      apps: [
        {
          name: 'deploy-bot',
          scopes: { bot: SCOPES },
          event_subscriptions: { request_url: url, bot_events: ['message.channels'] },
          interactivity_url: url,
          commands: [{ command: '/deploy', url }],
        },
      ],
      channels: [{ name: 'ops', members: ['alice', 'bob', 'deploy-bot'] }],
      incoming_webhooks: [{ app: 'deploy-bot', channel: 'ops', ref: 'hook' }],
      tracker: {
        teams: [{ key: 'ENG', issues: [{ title: 'One' }] }],
        webhooks: [{ url, resource_types: ['Issue'] }],
      },
    })
  ).body;
  const snapshot = await send(
    app,
    'POST',
    '/api/sandboxes/self/snapshots',
    bearer(source.credentials.control_token),
    {},
  );
  const fork = async (): Promise<Made> =>
    (await makeSandbox(app, { from: snapshot.body.id, id_space: 'own', journal: true })).body;
  return { source, forks: [await fork(), await fork()] };
}

const call = async (one: Made, method: string, args: object, token = one.credentials.user_token): Promise<Made> =>
  (await send(app, 'POST', `/api/${method}`, bearer(token), args)).body;

const act = async (one: Made, verb: string, args: object): Promise<Made> =>
  (await send(app, 'POST', `/api/act/${verb}`, bearer(one.credentials.user_token), args)).body;

const timeline = async (one: Made, query = ''): Promise<Made[]> => {
  const answer = await send(
    app,
    'GET',
    `/api/sandboxes/self/timeline?limit=200&${query}`,
    bearer(one.credentials.control_token),
  );
  return answer.body.entries;
};

const postTo = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

const signedBy = ({ headers, body }: Received, secret: string): boolean =>
  headers['x-slack-signature'] ===
  `v0=${createHmac('sha256', secret)
    .update(`v0:${String(headers['x-slack-request-timestamp'])}:${body}`)
    .digest('hex')}`;

it('delivers the events of a fork with its ids, signed with its secrets', async () => {
  const hook = await receiver();
  const { source, forks } = await forksAt(hook.url);
  const [mine, other] = forks;
  const ops = source.credentials.channels.ops;
  const posted = await call(mine, 'chat.postMessage', {
    channel: ops,
    text: `see\n${ops} <@${source.credentials.users.bob.user_id}>`,
  });
  const received = await hook.until((all) => all.some(({ body }) => body.includes('event_callback')));
  const event = received.find(({ body }) => body.includes('event_callback')) as Received;
  expect(JSON.parse(event.body)).toMatchObject({
    team_id: source.team_id,
    api_app_id: source.credentials.apps['deploy-bot'].app_id,
    event: { channel: ops, ts: posted.ts, text: `see\n${ops} <@${source.credentials.users.bob.user_id}>` },
  });
  expect(signedBy(event, mine.credentials.apps['deploy-bot'].signing_secret)).toBe(true);
  expect(signedBy(event, other.credentials.apps['deploy-bot'].signing_secret)).toBe(false);
  // the entry shows what was sent, and its signature held
  await eventually(async () => (await timeline(mine, 'kind=delivery')).length > 0, 'an entry of the delivery');
  const [entry] = await timeline(mine, 'kind=delivery');
  const whole = await send(
    app,
    'GET',
    `/api/sandboxes/self/timeline/${entry.id}`,
    bearer(mine.credentials.control_token),
  );
  expect(whole.body.request.body).toMatchObject({ event: { channel: ops } });
  expect(await timeline(other, 'kind=delivery')).toEqual([]);
  const waited = await send(app, 'POST', '/api/sandboxes/self/wait', bearer(mine.credentials.control_token), {
    for: 'event',
    after: 'start',
    where: { event: 'message', data: { channel: ops } },
    timeout_ms: 5_000,
  });
  expect(waited.body.matched).toBe(true);
});

it("tells the tracker's webhooks of a fork with its ids", async () => {
  const hook = await receiver();
  const { source, forks } = await forksAt(hook.url);
  const [mine] = forks;
  const ask = (one: Made, query: string): Promise<Made> =>
    send(app, 'POST', '/graphql', { authorization: one.credentials.api_key }, { query });
  const [theirs] = (await ask(source, '{ issues { nodes { id } } organization { id } }')).body.data.issues.nodes;
  await ask(mine, `mutation { issueUpdate(id: "${theirs.id}", input: { title: "Renamed" }) { success } }`);
  const received = await hook.until((all) => all.some(({ body }) => body.includes('Renamed')));
  const told = JSON.parse((received.find(({ body }) => body.includes('Renamed')) as Received).body);
  expect(told.data.id).toBe(theirs.id);
  expect((await ask(source, `{ issue(id: "${theirs.id}") { title } }`)).body.data.issue.title).toBe('One');
});

it('takes commands, response URLs and posting URLs by the secret of a fork', async () => {
  const hook = await receiver((request, reply) => {
    const form = new URLSearchParams(request.body);
    if (form.get('command'))
      reply.setHeader('content-type', 'application/json').end(JSON.stringify({ text: `in ${form.get('channel_id')}` }));
    else reply.end();
  });
  const { source, forks } = await forksAt(hook.url);
  const [mine, other] = forks;
  const ops = source.credentials.channels.ops;
  const done = await act(mine, 'command', { as: 'alice', channel: ops, command: '/deploy', text: 'now' });
  expect(JSON.stringify(done)).toContain(`in ${ops}`);
  const sent = new URLSearchParams((hook.received.find(({ body }) => body.includes('command=')) as Received).body);
  expect(sent.get('channel_id')).toBe(ops);
  expect(sent.get('team_id')).toBe(source.team_id);
  await fetch(String(sent.get('response_url')), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ response_type: 'in_channel', text: `done in <#${ops}>` }),
  });
  const urls = forks.map((one) => String(one.credentials.refs.hook.url));
  expect(new Set([source.credentials.refs.hook.url, ...urls]).size).toBe(3);
  for (const [n, url] of urls.entries()) {
    const response = await postTo(url, { text: `hook ${n} <#${ops}>` });
    expect(await response.text()).toBe('ok');
  }
  const textsOf = async (one: Made): Promise<string[]> =>
    (await call(one, 'conversations.history', { channel: ops })).messages.map((message: Made) => message.text);
  expect(await textsOf(mine)).toEqual([`hook 0 <#${ops}>`, `done in <#${ops}>`]);
  expect(await textsOf(other)).toEqual([`hook 1 <#${ops}>`]);
  expect(await textsOf(source)).toEqual([]);
  // a fork's id with another fork's secret
  const [, secret] = urls.map((url) => url.split('/').at(-1) as string);
  const foreign = await postTo(String(source.credentials.refs.hook.url).replace(/[^/]+$/, secret as string), {
    text: 'x',
  });
  expect([foreign.status, (await textsOf(other)).length]).toEqual([200, 2]);
});

it('speaks in the ids of a fork on its sockets, and tells no other fork', async () => {
  const hook = await receiver();
  const { source, forks } = await forksAt(hook.url);
  const [mine, other] = forks;
  const ops = source.credentials.channels.ops;
  const [heard, unheard] = await Promise.all(
    [mine, other].map((one) => Listener.connect(app, { token: one.credentials.user_token })),
  );
  for (const [one, listener] of [
    [mine, heard],
    [other, unheard],
  ] as const) {
    const ack = await listener!.socket.emitWithAck('subscribe', { channel: one.credentials.channels.ops });
    expect(ack).toEqual({ ok: true });
  }
  const opened = await openUrl(app, mine.credentials.apps['deploy-bot'].app_token);
  const socket = new RawSocket(new WebSocket(opened['url']));
  expect((await socket.hello())['connection_info']).toEqual({ app_id: source.credentials.apps['deploy-bot'].app_id });
  await call(mine, 'chat.postMessage', { channel: ops, text: 'over sockets' });
  await eventually(() => heard!.heard.some(({ data }) => data.text === 'over sockets'), 'the message');
  expect(heard!.heard.find(({ data }) => data.text === 'over sockets')?.data.channel).toBe(ops);
  await call(other, 'chat.postMessage', { channel: ops, text: 'in the other' });
  await eventually(() => unheard!.heard.some(({ data }) => data.text === 'in the other'), 'the other message');
  expect(JSON.stringify(unheard!.heard)).not.toContain('over sockets');
  expect(JSON.stringify(heard!.heard)).not.toContain('in the other');
});

it('keeps the files of forks apart', async () => {
  const hook = await receiver();
  const { source, forks } = await forksAt(hook.url);
  const [mine, other] = forks;
  const ops = source.credentials.channels.ops;
  const tokenOf = (one: Made): string => one.credentials.user_token;
  const slot = await call(mine, 'files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
  await fetch(slot.upload_url, { method: 'POST', body: 'C0ABC' });
  const done = await call(mine, 'files.completeUploadExternal', { files: [{ id: slot.file_id }], channel_id: ops });
  expect(done.files?.[0]?.id).toBe(slot.file_id);
  const { file } = await call(mine, 'files.info', { file: slot.file_id });
  const read = (one: Made) => fetch(file.url_private, { headers: { authorization: `Bearer ${tokenOf(one)}` } });
  expect(await (await read(mine)).text()).toBe('C0ABC');
  expect((await read(other)).status).toBe(404);
  expect((await read(source)).status).toBe(404);
  const shared = await call(mine, 'files.sharedPublicURL', { file: slot.file_id });
  expect(await (await fetch(shared.file.permalink_public)).text()).toBe('C0ABC');
});

it('lets people of a fork into the web UI, and their tokens name it', async () => {
  const hook = await receiver();
  const { source, forks } = await forksAt(hook.url);
  const [mine] = forks;
  const acting = await send(app, 'POST', '/api/sandboxes/self/act-as', bearer(mine.credentials.control_token), {
    user: 'alice',
  });
  const me = await send(app, 'GET', `/api/auth/me?team_id=${source.team_id}`, bearer(acting.body.access_token));
  expect(me).toMatchObject({
    status: 200,
    body: { user_id: source.credentials.users.alice.user_id, team_id: source.team_id },
  });
  const login = await send(
    app,
    'POST',
    '/api/auth/login',
    {},
    { email: `alice@${source.url_key}.example`, password: 'x'.repeat(12) },
  );
  expect(login.status).toBe(401);
  expect((await send(app, 'GET', `/api/sandboxes/${mine.id}`, OPERATOR)).body.id_space).toBe('own');
});
