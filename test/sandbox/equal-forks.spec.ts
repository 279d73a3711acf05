import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { consent } from '../support/consent.js';
import { clientCall } from '../support/oauth-app.js';
import { receiver } from '../support/receiver.js';
import { bearer, makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

const app = useApp();

const DOCUMENT = {
  clock: { now: '2026-03-01T09:00:00Z', frozen: true },
  users: [{ name: 'alice', is_admin: true }, 'bob', 'carol'],
  apps: [
    {
      name: 'deploy-bot',
      scopes: { bot: ['chat:write', 'channels:read', 'channels:history', 'users:read', 'users:read.email'] },
    },
  ],
  channels: [
    {
      name: 'ops',
      members: ['alice', 'bob', 'deploy-bot'],
      messages: [
        { as: 'alice', text: 'root <@bob>', ref: 'root', reactions: { tada: ['bob'] } },
        { as: 'bob', text: 'reply', thread: 'root' },
      ],
    },
    { name: 'dev', members: ['alice', 'carol'] },
  ],
  usergroups: [{ name: 'On call', users: ['alice'], channels: ['ops'] }],
  tracker: {
    teams: [
      {
        key: 'ENG',
        labels: [{ name: 'Bug' }],
        issues: [
          { title: 'One', ref: 'one', assignee: 'alice', labels: ['Bug'], project: 'Q1' },
          { title: 'Two', parent: 'one', comments: [{ as: 'bob', body: 'On it' }] },
          { title: 'Three' },
        ],
      },
    ],
    projects: [{ name: 'Q1', teams: ['ENG'], lead: 'alice' }],
  },
};

// specs read nested fields freely
// oxlint-disable-next-line no-explicit-any
type Made = any;

/** A sandbox of the document, and copies of it with its ids. */
async function forksOf(document: object, count: number): Promise<{ source: Made; forks: Made[] }> {
  const source = (await makeSandbox(app, document)).body;
  const snapshot = await send(
    app,
    'POST',
    '/api/sandboxes/self/snapshots',
    bearer(source.credentials.control_token),
    {},
  );
  const forks = await Promise.all(
    Array.from(
      { length: count },
      async () => (await makeSandbox(app, { from: snapshot.body.id, id_space: 'own' })).body,
    ),
  );
  return { source, forks };
}

async function text(path: string, token: string, body?: object): Promise<string> {
  const response = await fetch(`${app.baseUrl}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: token, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return `${response.status} ${await response.text()}`;
}

/** Calls of both products, each with what the answers before it brought. */
async function journey({ credentials }: Made): Promise<string[]> {
  const answers: string[] = [];
  const bot = `Bearer ${credentials.bot_token}`;
  const user = `Bearer ${credentials.user_token}`;
  const call = async (method: string, args: object, token = bot): Promise<Made> => {
    const answer = await text(`/api/${method}`, token, args);
    answers.push(`${method} ${answer}`);
    return JSON.parse(answer.slice(4));
  };
  const ask = async (query: string, variables: object = {}): Promise<Made> => {
    const answer = await text('/graphql', String(credentials.api_key), { query, variables });
    answers.push(`${query} ${answer}`);
    return JSON.parse(answer.slice(4)).data;
  };
  const rest = async (path: string): Promise<void> => void answers.push(`${path} ${await text(path, user)}`);
  await call('auth.test', {});
  await call('auth.test', {}, user);
  await call('team.info', {}, user);
  const { channels, response_metadata: page } = await call('conversations.list', { limit: 2 }, user);
  await call('conversations.list', { limit: 2, cursor: page.next_cursor }, user);
  const listed = await call('users.list', { limit: 2 }, user);
  await call('users.list', { limit: 2, cursor: listed.response_metadata.next_cursor }, user);
  for (const channel of channels) await call('conversations.info', { channel: channel.id }, user);
  const ops = credentials.channels.ops;
  const history = await call('conversations.history', { channel: ops }, user);
  await call('conversations.replies', { channel: ops, ts: history.messages.at(-1).ts }, user);
  await call('conversations.members', { channel: ops, limit: 1 }, user);
  await call('users.info', { user: credentials.users.bob.user_id }, user);
  await call('conversations.join', { channel: ops }, user);
  const posted = await call(
    'chat.postMessage',
    { channel: ops, text: `hi <@${credentials.users.bob.user_id}>\n${ops}` },
    user,
  );
  await call('reactions.add', { channel: ops, timestamp: posted.ts, name: 'eyes' }, user);
  await call('reactions.get', { channel: ops, timestamp: posted.ts }, user);
  await call('chat.getPermalink', { channel: ops, message_ts: posted.ts }, user);
  await call('chat.update', { channel: ops, ts: posted.ts, text: `again ${ops}` }, user);
  await call('pins.add', { channel: ops, timestamp: posted.ts }, user);
  await call('pins.list', { channel: ops }, user);
  await call('search.messages', { query: 'again' }, user);
  await call('usergroups.list', { include_users: true }, user);
  await call('bots.info', { bot: JSON.parse(answers[0]!.replace(/^\S+ \d+ /, '')).bot_id });
  await call('users.lookupByEmail', { email: 'nobody@nowhere.example' }, user);
  await call('conversations.info', { channel: 'C0NOTHERE01' }, user);
  await ask('{ viewer { id name email organization { id urlKey } } }');
  const { issues } = await ask('{ issues(first: 2) { nodes { id identifier title url } pageInfo { endCursor } } }');
  await ask('query($after: String) { issues(first: 2, after: $after) { nodes { id } pageInfo { endCursor } } }', {
    after: issues.pageInfo.endCursor,
  });
  const id = issues.nodes[0].id as string;
  await ask('query($id: String!) { issue(id: $id) { id title team { id key } labels { nodes { id name } } } }', { id });
  await ask(
    `{ issue(id: "${id}") { id comments { nodes { id body user { id avatarBackgroundColor } } } children { nodes { id } } } }`,
  );
  await ask(
    `mutation { issueUpdate(id: "${id}", input: { title: "Renamed" }) { success lastSyncId issue { id title updatedAt } } }`,
  );
  const { teamCreate } = await ask(
    'mutation { teamCreate(input: { name: "Ops", key: "OPS" }) { team { id color states { nodes { id } } memberships { nodes { id } } } } }',
  );
  await ask(
    'mutation($team: String!) { issueCreate(input: { teamId: $team, title: "New" }) { issue { id identifier } } }',
    {
      team: teamCreate.team.id,
    },
  );
  await ask('mutation { projectCreate(input: { name: "Q2", teamIds: [] }) { success } }');
  const made = await call('conversations.create', { name: 'new' }, user);
  await call(
    'chat.postMessage',
    {
      channel: made.channel.id,
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: `made <#${made.channel.id}>` } }],
    },
    user,
  );
  await call('conversations.open', { users: credentials.users.bob.user_id }, user);
  await ask(
    `{ issues(filter: { id: { eq: "${id}" } }) { nodes { id } } projects { nodes { id url slugId lead { id } } } }`,
  );
  await rest('/api/auth/me');
  await rest('/api/auth/workspaces');
  await rest('/api/sandboxes/self/seed?ids=true');
  await rest('/api/sandboxes/self/state?ids=true&document=true');
  await rest('/api/sandboxes/self/changes');
  return answers;
}

/** What of an answer is not as in another, with what stands before it. */
function differenceOf(answer: string, other: string): string[] {
  let at = 0;
  while (at < answer.length && answer[at] === other[at]) at++;
  if (answer === other) return [];
  return [`${answer.slice(0, 60)} … ${answer.slice(Math.max(0, at - 60), at + 60)} | ${other.slice(at, at + 60)}`];
}

it('answers the same calls with the same bytes in every fork', async () => {
  const { source, forks } = await forksOf(DOCUMENT, 3);
  for (const fork of forks) {
    expect(fork).toMatchObject({ id_space: 'own', team_id: source.team_id, url_key: source.url_key });
    expect(fork.credentials.channels).toMatchObject(source.credentials.channels);
    expect(fork.credentials.admin).toEqual({ ...source.credentials.admin, password: null });
    expect(fork.credentials.bot_token).not.toBe(source.credentials.bot_token);
    expect(fork.credentials.signing_secret).not.toBe(source.credentials.signing_secret);
  }
  const [first, ...others] = await Promise.all(forks.map(journey));
  for (const other of others) expect(other.flatMap((answer, n) => differenceOf(answer, first![n]!))).toEqual([]);
});

it('tells nobody of another fork, whatever ids are used with whatever token', async () => {
  const { source, forks } = await forksOf(DOCUMENT, 3);
  const [mine, other] = forks;
  const ops = source.credentials.channels.ops as string;
  const user = `Bearer ${mine.credentials.user_token}`;
  await text('/api/chat.postMessage', user, { channel: ops, text: 'the secret of one fork' });
  for (const one of [source, other]) {
    const token = `Bearer ${one.credentials.user_token}`;
    expect(await text('/api/conversations.history', token, { channel: ops })).not.toContain('the secret');
    expect(await text('/api/search.messages', token, { query: 'secret' })).not.toContain('the secret');
    const control = bearer(one.credentials.control_token);
    expect(JSON.stringify((await send(app, 'GET', '/api/sandboxes/self/timeline', control)).body)).not.toContain(
      'the secret',
    );
    expect((await send(app, 'GET', `/api/sandboxes/${mine.id}`, control)).status).toBe(404);
  }
  expect(await text('/api/conversations.history', user, { channel: ops })).toContain('the secret');
});

it('finds no fork by an id or a name alone', async () => {
  const domain = `forked-${crypto.randomUUID().slice(0, 8)}`;
  const { source, forks } = await forksOf({ ...DOCUMENT, team: { name: 'Forked-Acme', domain } }, 1);
  await send(app, 'DELETE', `/api/sandboxes/${source.id}`, OPERATOR);
  const act = await send(app, 'POST', '/api/act/message', OPERATOR, {
    team_id: forks[0].team_id,
    as: 'alice',
    channel: '#ops',
    text: 'hi',
  });
  expect(act.body).toMatchObject({ statusCode: 404, message: 'team_not_found' });
  const exists = await text('/graphql', String(forks[0].credentials.api_key), {
    query: `{ organizationExists(urlKey: "${domain}") { exists } }`,
  });
  expect(exists).toContain('"exists":false');
  const listed = await send(app, 'GET', `/api/sandboxes?name=${forks[0].name}`, OPERATOR);
  expect(listed.body.sandboxes).toMatchObject([{ id: forks[0].id, team_id: forks[0].team_id }]);
  // the name is free for a sandbox of the server
  expect((await makeSandbox(app, { team: { domain } })).status).toBe(201);
});

it('makes forks of documents with the same fixed ids', async () => {
  const document = {
    id_space: 'own',
    team: { id: 'T0FIXED0001', domain: 'fixed' },
    users: [{ name: 'alice', id: 'U0FIXED0001', email: 'alice@fixed.example' }],
    channels: [{ name: 'ops', id: 'C0FIXED0001', messages: [{ as: 'alice', text: 'hi <@alice>' }] }],
    tracker: { teams: [{ key: 'ENG', id: '00000000-0000-4000-8000-000000000001', issues: [{ title: 'One' }] }] },
  };
  const made = await Promise.all(Array.from({ length: 3 }, async () => (await makeSandbox(app, document)).body));
  for (const one of made) {
    expect(one).toMatchObject({ id_space: 'own', team_id: 'T0FIXED0001', url_key: 'fixed' });
    expect(one.credentials).toMatchObject({
      admin: { password: null },
      channels: { ops: 'C0FIXED0001' },
      users: { alice: { user_id: 'U0FIXED0001' } },
      teams: { ENG: { id: '00000000-0000-4000-8000-000000000001' } },
    });
    const history = await text('/api/conversations.history', `Bearer ${one.credentials.user_token}`, {
      channel: 'C0FIXED0001',
    });
    expect(history).toContain('hi <@U0FIXED0001>');
  }
  const refused = await send(app, 'POST', '/api/sandboxes', OPERATOR, {
    id_space: 'own',
    apps: [{ name: 'shop', scopes: { bot: ['chat:write'] }, redirect_urls: ['https://a.example/'], distributed: true }],
  });
  expect(refused).toMatchObject({ status: 400, body: { message: 'not_in_own_id_space', path: 'apps[0].distributed' } });
  const joinable = await send(app, 'POST', '/api/sandboxes', OPERATOR, { id_space: 'own', team: { joinable: true } });
  expect(joinable.status).toBe(400);
});

it('makes the same ids again after a reset, and other ones in a copy that is no equal fork', async () => {
  const { source, forks } = await forksOf(DOCUMENT, 1);
  const [fork] = forks;
  const control = bearer(fork.credentials.control_token);
  const user = `Bearer ${fork.credentials.user_token}`;
  const make = (): Promise<string> => text('/api/conversations.create', user, { name: 'made' });
  const first = await make();
  await send(app, 'POST', '/api/sandboxes/self/reset', control, {});
  expect(await make()).toBe(first);
  const snapshot = await send(app, 'POST', '/api/sandboxes/self/snapshots', control, {});
  const again = (await makeSandbox(app, { from: snapshot.body.id, id_space: 'own' })).body;
  expect(again.credentials.channels.made).toBe(JSON.parse(first.slice(4)).channel.id);
  const copy = (await makeSandbox(app, { from: snapshot.body.id })).body;
  expect(copy.id_space).toBe('server');
  expect(copy.team_id).not.toBe(source.team_id);
  expect(copy.credentials.channels.made).not.toBe(again.credentials.channels.made);
  const hashOf = async (one: Made): Promise<string> =>
    (await send(app, 'GET', '/api/sandboxes/self/state', bearer(one.credentials.control_token))).body.hash;
  expect(await hashOf(again)).toBe(await hashOf(fork));
});

it('makes new tokens for a document whose fixed ones another sandbox has', async () => {
  const tail = crypto.randomUUID();
  const document = {
    id_space: 'own',
    clock: DOCUMENT.clock,
    users: [{ name: 'alice', api_key: `svc_api_${tail}`, user_token: `xoxp-${tail}` }],
    apps: [
      {
        name: 'deploy-bot',
        id: 'A0FIXED0001',
        scopes: { bot: ['chat:write'], user: ['chat:write'] },
        bot_token: `xoxb-${tail}`,
        user_token: `xoxp-1-${tail}`,
        app_token: `xapp-1-A0FIXED0001-1-${tail}`,
        client_id: `${Date.now().toString().slice(1)}.${Date.now()}`,
        client_secret: tail.replaceAll('-', ''),
      },
    ],
    tracker: { apps: [{ name: 'triage', client_id: tail.replaceAll('-', ''), client_secret: `s-${tail}` }] },
  };
  const [first, second] = [await makeSandbox(app, document), await makeSandbox(app, document)];
  expect([first.status, second.status], JSON.stringify(second.body)).toEqual([201, 201]);
  const of = ({ body }: Made): Made => ({
    ...body.credentials.apps['deploy-bot'],
    ...body.credentials.tracker_apps.triage,
  });
  expect(first.body.credentials.apps['deploy-bot']).toMatchObject({
    bot_token: document.apps[0]!.bot_token,
    app_token: document.apps[0]!.app_token,
    client_id: document.apps[0]!.client_id,
  });
  for (const field of ['bot_token', 'user_token', 'app_token', 'client_id', 'client_secret']) {
    expect([field, of(second)[field]]).not.toEqual([field, of(first)[field]]);
  }
  expect(second.body.credentials.apps['deploy-bot'].app_token).toMatch(/^xapp-1-A0FIXED0001-/);
  for (const made of [first, second]) {
    const { bot_token: bot } = made.body.credentials.apps['deploy-bot'];
    expect(await text('/api/auth.test', `Bearer ${bot}`, {})).toContain(made.body.team_id);
  }
  // people's are the first one's
  const me = '{ viewer { id } }';
  expect(await text('/graphql', `svc_api_${tail}`, { query: me })).toContain(
    first.body.credentials.users.alice.tracker_user_id,
  );
  // others are refused still
  const taken = await send(app, 'POST', '/api/sandboxes', OPERATOR, {
    apps: [{ name: 'other', bot_token: `xoxb-${tail}` }],
  });
  expect(taken).toMatchObject({ status: 409, body: { message: 'token_taken', path: 'apps[0].bot_token' } });
});

it('takes tokens, and sends to URLs, as a document gives them, whatever in them looks like an id', async () => {
  const hook = await receiver();
  const uuid = (): string => crypto.randomUUID();
  const secret = uuid();
  const { body: made } = await makeSandbox(app, {
    id_space: 'own',
    users: [{ name: 'alice', is_admin: true, api_key: `svc_api_${uuid()}`, user_token: `xoxp-${uuid()}` }],
    apps: [
      {
        name: 'deploy-bot',
        scopes: { bot: ['chat:write', 'channels:history', 'commands'] },
        bot_token: `xoxb-${uuid()}`,
        signing_secret: secret,
        event_subscriptions: { request_url: `${hook.url}/U0ABCDEF123`, events: ['message.channels'], verify: false },
        commands: [{ command: '/deploy', url: `${hook.url}/C0ABCDEF123` }],
      },
    ],
    channels: [{ name: 'ops', members: ['alice', 'deploy-bot', 'default-app'] }],
    tracker: {
      apps: [{ name: 'triage', client_secret: `s-${uuid()}`, client_credentials: true }],
      webhooks: [{ url: `${hook.url}/${secret}`, resource_types: ['Issue'] }],
    },
  });
  const { credentials } = made;
  const app1 = credentials.apps['deploy-bot'];
  expect(app1.signing_secret).toBe(secret);
  const posted = await text('/api/chat.postMessage', `Bearer ${app1.bot_token}`, {
    channel: credentials.channels.ops,
    text: 'hello',
  });
  expect(posted).toContain('"ok":true');
  await send(app, 'POST', '/api/act/command', bearer(credentials.users.alice.access_token), {
    channel: credentials.channels.ops,
    command: '/deploy',
  });
  const create = `mutation { issueCreate(input: { teamId: "${credentials.teams.ENG.id}", title: "x" }) { success } }`;
  expect(await text('/graphql', String(credentials.api_key), { query: create })).toContain('"success":true');
  const { triage } = credentials.tracker_apps;
  const grant = await fetch(`${app.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: triage.client_id,
      client_secret: triage.client_secret,
      scope: 'read',
    }),
  });
  expect(((await grant.json()) as { error?: string }).error).toBe(undefined);
  const received = await hook.until((all) => all.length >= 3);
  const paths = received.map(({ path }) => path.split('/').at(-1)).sort();
  expect(paths).toEqual(['C0ABCDEF123', 'U0ABCDEF123', secret].sort());
  const { headers, body } = received.find(({ path }) => path.endsWith('U0ABCDEF123'))!;
  const signed = createHmac('sha256', secret).update(`v0:${String(headers['x-slack-request-timestamp'])}:${body}`);
  expect(headers['x-slack-signature']).toBe(`v0=${signed.digest('hex')}`);
});

it('signs people in by the ids of callers, and lets its apps in nowhere else', async () => {
  const redirect = `https://app.example/back/${crypto.randomUUID()}`;
  const shop = { name: 'shop', installed: false, distributed: true, redirect_urls: [redirect], scopes: { bot: [] } };
  const { forks } = await forksOf({ users: ['alice'], methods: 'all', apps: [shop] }, 1);
  const [{ credentials, team_id: team }] = forks as [Made];
  const { client_id, client_secret } = credentials.apps.shop;
  const asked = { client_id, scope: 'openid', response_type: 'code', redirect_uri: redirect };
  const url = `${app.baseUrl}/openid/connect/authorize?${new URLSearchParams(asked).toString()}`;
  const alice = credentials.users.alice.user_id as string;
  const code = (await consent(app, url, { user: alice })).searchParams.get('code') as string;
  const proof = { client_id, client_secret, code, redirect_uri: redirect };
  const { id_token: token, access_token: access } = await clientCall(app, 'openid.connect.token', proof);
  const claims = JSON.parse(Buffer.from(String(token).split('.')[1] as string, 'base64url').toString()) as object;
  const who = { sub: alice, 'https://slack.com/user_id': alice, 'https://slack.com/team_id': team };
  expect(claims).toMatchObject({ ...who, aud: client_id });
  expect(await clientCall(app, 'openid.connect.userInfo', { token: access })).toMatchObject(who);

  const other = await makeSandbox(app, { methods: 'all' });
  const elsewhere = new URLSearchParams({ client_id, scope: 'chat:write', team: other.body.team_id }).toString();
  const page = await fetch(`${app.baseUrl}/oauth/v2/authorize?${elsewhere}`, { headers: { accept: 'text/html' } });
  expect([page.status, await page.text()]).toEqual([400, expect.stringContaining('>team_not_found<')]);
  const installed = await send(app, 'POST', '/api/sandboxes/self/install', other.ctl, {
    client_id,
    scope: 'chat:write',
    exchange: true,
  });
  expect([installed.status, installed.body.message]).toEqual([400, 'team_not_found']);
});

it('takes the ids of callers in queries and paths, installs apps, and shows what is in files', async () => {
  const redirect = `https://app.example/back/${crypto.randomUUID()}`;
  const { forks } = await forksOf(
    {
      ...DOCUMENT,
      methods: 'all',
      apps: [{ ...DOCUMENT.apps[0], redirect_urls: [redirect] }],
      tracker: { ...DOCUMENT.tracker, apps: [{ name: 'triage', redirect_uris: [redirect] }] },
    },
    2,
  );
  for (const { credentials } of forks) {
    const control = bearer(credentials.control_token);
    const user = `Bearer ${credentials.user_token}`;
    const { ops } = credentials.channels;
    const bob = credentials.users.bob.user_id as string;
    await text('/api/chat.postMessage', user, { channel: ops, text: `hi <@${bob}>` });
    const where = encodeURIComponent(JSON.stringify({ args: { channel: ops } }));
    for (const query of [`channel=${ops}`, `app_id=${credentials.app_id}`, `where=${where}`]) {
      const { body } = await send(app, 'GET', `/api/sandboxes/self/timeline?${query}`, control);
      expect([query, body.entries.length]).toEqual([query, expect.toSatisfy((count: number) => count > 0)]);
    }
    expect(await text(`/api/conversations.info?channel=${ops}`, user)).toContain('"ok":true');
    const admin = `Bearer ${credentials.users.alice.access_token}`;
    const { app_id: id } = credentials.apps['deploy-bot'];
    expect(await text(`/api/apps/${id}`, admin)).toContain(`"${id}"`);
    for (const [product, name] of [
      ['chat', 'deploy-bot'],
      ['tracker', 'triage'],
    ]) {
      const asked = { product, app: name, as: 'alice', redirect_uri: redirect, follow: false };
      const { status, body } = await send(app, 'POST', '/api/sandboxes/self/install', control, asked);
      expect([name, status, body.message]).toEqual([name, 200, undefined]);
      expect(body.redirected_to).toMatch(new RegExp(`^${redirect}\\?code=`));
    }
    for (const [path, client, scope] of [
      ['/oauth/v2/authorize', credentials.apps['deploy-bot'], 'chat:write'],
      ['/oauth/authorize', credentials.tracker_apps.triage, 'read'],
    ]) {
      const { client_id: clientId } = client;
      const asked = { client_id: clientId, redirect_uri: redirect, scope, response_type: 'code' };
      const page = await fetch(`${app.baseUrl}${path}?${new URLSearchParams(asked).toString()}`);
      expect([path, page.status]).toEqual([path, 200]);
    }
    const content = `${bob} is in ${ops}`;
    const slot = JSON.parse(
      (await text('/api/files.getUploadURLExternal', user, { filename: 'a.txt', length: content.length })).slice(4),
    );
    await fetch(slot.upload_url, { method: 'POST', body: content });
    const files = [{ id: slot.file_id }];
    const done = await text('/api/files.completeUploadExternal', user, { files, channel_id: ops });
    expect(done).toContain(`"preview":"${content}"`);
  }
});
