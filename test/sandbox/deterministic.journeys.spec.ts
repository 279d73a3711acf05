import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { receiver, type Received, type Receiver } from '../support/receiver.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';
import { WHOLE } from '../support/whole-document.js';

const app = useApp();

// specs read nested fields freely
// oxlint-disable-next-line no-explicit-any
type Made = any;

const SCOPES = [
  'chat:write',
  'channels:read',
  'channels:history',
  'channels:manage',
  'commands',
  'files:write',
  'files:read',
  'pins:write',
  'reactions:write',
  'users:read',
  'usergroups:write',
  'usergroups:read',
  'bookmarks:write',
  'reminders:write',
];

/** Everything is made up but names: no id, no domain. */
const documentAt = (url: string): object => ({
  id_space: 'own',
  deterministic: true,
  journal: true,
  clock: { now: '2026-03-01T09:00:00.123Z', frozen: true, tick_ms: 700 },
  users: [{ name: 'alice', is_admin: true }, 'bob', 'carol'],
  apps: [
    {
      name: 'deploy-bot',
      scopes: { bot: SCOPES },
      event_subscriptions: {
        request_url: url,
        bot_events: ['message.channels', 'reaction_added', 'channel_created', 'file_shared', 'pin_added'],
      },
      interactivity_url: url,
      commands: [{ command: '/deploy', url }],
    },
  ],
  channels: [
    {
      name: 'ops',
      members: ['alice', 'bob', 'deploy-bot'],
      messages: [{ as: 'bob', text: 'hi <@alice>', ref: 'hi', reactions: { tada: ['alice'] } }],
    },
    { name: 'dev', members: ['alice', 'carol'] },
  ],
  incoming_webhooks: [{ app: 'deploy-bot', channel: 'ops', ref: 'hook' }],
  tracker: {
    teams: [{ key: 'ENG', labels: [{ name: 'Bug' }], issues: [{ title: 'One', labels: ['Bug'] }, { title: 'Two' }] }],
    projects: [{ name: 'Q1', teams: ['ENG'], lead: 'alice' }],
    webhooks: [{ url, resource_types: ['Issue', 'Comment', 'Project'] }],
  },
});

const made = async (document: object): Promise<Made> => {
  const { status, body } = await makeSandbox(app, document);
  expect({ status, message: body.message }).toEqual({ status: 201, message: undefined });
  return body;
};

/** Secrets, and what is stamped by real time so that signatures hold. */
const withoutSecrets = (text: string): string =>
  text
    .replace(/xox[a-z]+[.-][\w.-]+|xapp-[\w-]+|svc_\w+/g, '<token>')
    .replace(/\/(upload\/v1|respond)\/[\w-]+/g, '/$1/<secret>')
    .replace(/(\/(?:commands|actions|services)\/[^/]+\/[^/]+\/)\w+/g, '$1<secret>')
    .replace(/"(webhookTimestamp|waited_ms|ms)":\d+/g, '"$1":0')
    .replace(/"token":"[^"]*"|token=[^&]*/g, '<token>')
    // another replica may send it, which is another server here
    .replace(/127\.0\.0\.1:\d+/g, '<server>')
    .replace(/"event_context":"[^"]*"/g, '<context>');

const deliveryOf = ({ headers, body }: Received): string =>
  withoutSecrets(decodeURIComponent(`${String(headers['linear-delivery'] ?? '')} ${body}`));

interface Journey {
  readonly answers: string[];
  readonly deliveries: string[];
}

/** A hundred calls of both products, each with what the answers before it brought. */
async function journey(one: Made, hook: Receiver): Promise<Journey> {
  const { credentials } = one;
  const answers: string[] = [];
  const from = hook.received.length;
  const user = `Bearer ${credentials.user_token}`;
  const bot = `Bearer ${credentials.apps['deploy-bot'].bot_token}`;
  const sendTo = async (name: string, path: string, token: string, body: object): Promise<Made> => {
    const response = await fetch(`${app.baseUrl}${path}`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    answers.push(`${name} ${response.status} ${withoutSecrets(text)}`);
    return JSON.parse(text);
  };
  const call = (method: string, args: object = {}, token = bot): Promise<Made> =>
    sendTo(method, `/api/${method}`, token, args);
  const ask = async (query: string, variables: object = {}): Promise<Made> =>
    (await sendTo(query, '/graphql', String(credentials.api_key), { query, variables })).data;
  const act = (verb: string, args: object): Promise<Made> => sendTo(`act ${verb}`, `/api/act/${verb}`, user, args);

  const { ops } = credentials.channels;
  await call('auth.test');
  await call('team.info', {}, user);
  await call('users.list');
  await call('conversations.list');
  for (let n = 0; n < 3; n++) {
    const { ts } = await call('chat.postMessage', {
      channel: ops,
      text: `step ${n} <@${credentials.users.bob.user_id}>`,
    });
    await call('reactions.add', { channel: ops, timestamp: ts, name: 'eyes' });
    await call('chat.postMessage', { channel: ops, thread_ts: ts, text: `reply ${n}` }, user);
    await call('chat.update', { channel: ops, ts, text: `step ${n}, again` });
    await call('pins.add', { channel: ops, timestamp: ts });
    await call('conversations.replies', { channel: ops, ts });
  }
  await call('chat.postMessage', {
    channel: ops,
    text: 'blocks',
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: 'sure?' } },
      { type: 'actions', elements: [{ type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } }] },
    ],
  });
  const { channel: made } = await call('conversations.create', { name: 'made' });
  await call('conversations.invite', { channel: made.id, users: credentials.users.bob.user_id });
  await call('conversations.setTopic', { channel: made.id, topic: 'news' });
  await call('conversations.open', { users: credentials.users.carol.user_id }, user);
  await call('usergroups.create', { name: 'On call', handle: 'oncall' }, user);
  await call('bookmarks.add', { channel_id: ops, title: 'Docs', type: 'link', link: 'https://a.example/' });
  await call('chat.scheduleMessage', { channel: ops, text: 'later', post_at: 1_772_355_640 });
  await call('chat.scheduledMessages.list');
  const slot = await call('files.getUploadURLExternal', { filename: 'a.txt', length: 5 });
  await fetch(slot.upload_url, { method: 'POST', body: 'hello' });
  await call('files.completeUploadExternal', { files: [{ id: slot.file_id, title: 'A' }], channel_id: ops });
  await call('files.info', { file: slot.file_id });
  await call('chat.postMessage', { channel: 'C0NOTHERE01', text: 'nowhere' });
  await fetch(String(credentials.refs.hook.url), { method: 'POST', body: JSON.stringify({ text: 'from outside' }) });
  // a person's command reaches the app with a trigger, for which it opens a view
  const done = await act('command', { as: 'alice', channel: ops, command: '/deploy', text: 'now', wait_ms: 0 });
  const view = {
    type: 'modal',
    callback_id: 'm',
    title: { type: 'plain_text', text: 'Deploy' },
    submit: { type: 'plain_text', text: 'Go' },
    blocks: [{ type: 'input', label: { type: 'plain_text', text: 'What' }, element: { type: 'plain_text_input' } }],
  };
  const { view: opened } = await call('views.open', { trigger_id: done.result.trigger_id, view });
  await call('views.update', { view_id: opened.id, hash: opened.hash, view });
  await act('click', { as: 'bob', channel: ops, action_id: 'go', wait_ms: 0 });
  await call('views.publish', {
    user_id: credentials.users.bob.user_id,
    view: { type: 'home', blocks: [{ type: 'divider' }] },
  });
  await call('search.messages', { query: 'step' }, user);
  await call('conversations.history', { channel: ops, limit: 50 });

  await ask('{ viewer { id name } organization { id urlKey } }');
  const { issues } = await ask('{ issues { nodes { id identifier url updatedAt } } }');
  const team = credentials.teams.ENG.id as string;
  for (let n = 0; n < 4; n++) {
    const { issueCreate } = await ask(
      'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { lastSyncId issue { id identifier createdAt branchName state { id color } } } }',
      { input: { teamId: team, title: `Made ${n}` } },
    );
    const { id } = issueCreate.issue;
    await ask(`mutation { issueUpdate(id: "${id}", input: { priority: ${n % 5}, assigneeId: null }) { lastSyncId } }`);
    await ask(
      `mutation { commentCreate(input: { issueId: "${id}", body: "on it" }) { lastSyncId comment { id createdAt } } }`,
    );
  }
  await ask(
    'mutation { projectCreate(input: { name: "Q2", teamIds: ["' + team + '"] }) { project { id slugId url color } } }',
  );
  await ask('mutation { issueLabelCreate(input: { name: "Chore" }) { issueLabel { id color } } }');
  await ask(
    'mutation { teamCreate(input: { name: "Ops", key: "OPS" }) { team { id color states { nodes { id color } } } } }',
  );
  await ask(
    'mutation { documentCreate(input: { title: "Notes", teamId: "' + team + '" }) { document { id slugId url } } }',
  );
  await ask('mutation { customViewCreate(input: { name: "Mine" }) { customView { id slugId color } } }');
  await ask('mutation { initiativeCreate(input: { name: "Big" }) { initiative { id slugId color } } }');
  await ask(
    `{ issue(id: "${issues.nodes[0].id}") { history { nodes { id createdAt } } subscribers { nodes { id } } } }`,
  );
  await ask('{ notifications { nodes { id type createdAt } } }');
  await ask('{ issues(first: 3, orderBy: updatedAt) { nodes { id } pageInfo { endCursor } } }');
  await ask('mutation { issueArchive(id: "' + issues.nodes[1].id + '") { lastSyncId success } }');
  while (answers.length < 100) await call('conversations.info', { channel: answers.length % 2 ? ops : made.id });
  for (const path of ['/seed?ids=true', '/state?ids=true&document=true']) {
    const text = await fetch(`${app.baseUrl}/api/sandboxes/self${path}`, {
      headers: bearer(credentials.control_token),
    });
    answers.push(`${path} ${withoutSecrets(await text.text())}`);
  }
  // what the app is told comes in no certain order
  await send(app, 'POST', '/api/sandboxes/self/deliveries/flush', bearer(credentials.control_token), {});
  const idle = await send(app, 'POST', '/api/sandboxes/self/wait', bearer(credentials.control_token), {
    for: 'idle',
    timeout_ms: 20_000,
  });
  expect(idle.status).toBe(200);
  return { answers, deliveries: hook.received.slice(from).map(deliveryOf).sort() };
}

/** What of an answer is not as in another, with what stands before it. */
function differences(these: readonly string[], those: readonly string[]): string[] {
  const found: string[] = these.length === those.length ? [] : [`${these.length} | ${those.length}`];
  for (const [n, answer] of these.entries()) {
    const other = those[n] ?? '';
    if (answer === other) continue;
    let at = 0;
    while (at < answer.length && answer[at] === other[at]) at++;
    found.push(`${answer.slice(0, 60)} … ${answer.slice(Math.max(0, at - 60), at + 60)} | ${other.slice(at, at + 60)}`);
  }
  return found;
}

const FIXED = /^(?:id|domain|email|distributed|joinable|.*_token|.*_secret|secret|api_key|client_id|ttl_seconds)$/;

/** A document without what it fixes. */
const unfixed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(unfixed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (FIXED.test(key) ? [] : [[key, unfixed(one)]])),
  );
};

const snapshotOf = async (one: Made): Promise<string> =>
  (await send(app, 'POST', '/api/sandboxes/self/snapshots', bearer(one.credentials.control_token), {})).body.id;

// hundreds of calls, one after the other, on a machine that others share
describe('deterministic sandboxes', { timeout: 240_000 }, () => {
  it('answer a hundred calls with the same bytes, forks of one snapshot and sandboxes of one document alike', async () => {
    const hook = await receiver();
    const document = documentAt(hook.url);
    const [first, second] = [await made(document), await made(document)];
    expect(second).toMatchObject({ team_id: first.team_id, url_key: first.url_key });
    expect(second.credentials.channels).toEqual(first.credentials.channels);
    const from = await snapshotOf(first);
    const fork = { from, id_space: 'own', deterministic: true, journal: true };
    const one = await made(fork);
    const before = await journey(first, hook);
    expect(before.answers.length).toBeGreaterThanOrEqual(102);
    expect(before.deliveries.length).toBeGreaterThan(30);
    for (const other of [second, one]) {
      const again = await journey(other, hook);
      expect(differences(again.answers, before.answers)).toEqual([]);
      expect(differences(again.deliveries, before.deliveries)).toEqual([]);
    }
    const seeded = await made({ ...document, random_seed: 2 });
    expect(seeded.team_id).not.toBe(first.team_id);
  });

  it('hold the same whatever a document makes, times and all', async () => {
    const document = { ...(unfixed(WHOLE) as object), id_space: 'own', deterministic: true, methods: 'all' };
    const [first, second] = [await made(document), await made(document)];
    const namesOf = async (one: Made): Promise<string[]> => {
      const key = { authorization: one.credentials.api_key };
      const ask = async (query: string): Promise<Made> => (await send(app, 'POST', '/graphql', key, { query })).body;
      const { data } = await ask(
        '{ __schema { queryType { fields { name type { ofType { name } } args { type { kind } } } } } }',
      );
      const lists = data.__schema.queryType.fields.filter(
        ({ type, args }: Made) =>
          /Connection$/.test(String(type.ofType?.name)) && args.every((arg: Made) => arg.type.kind !== 'NON_NULL'),
      );
      expect(lists.length).toBeGreaterThan(20);
      const answers: string[] = [];
      for (const { name } of lists) {
        const answer = await ask(`{ ${name}(first: 20) { nodes { id createdAt updatedAt } } }`);
        answers.push(`${name} ${JSON.stringify(answer)}`);
      }
      for (const method of ['users.list', 'conversations.list', 'usergroups.list', 'team.info']) {
        const answer = await send(app, 'POST', `/api/${method}`, bearer(one.credentials.user_token), {});
        answers.push(`${method} ${JSON.stringify(answer.body)}`);
      }
      for (const path of ['/seed?ids=true', '/state?ids=true&document=true']) {
        const answer = await send(app, 'GET', `/api/sandboxes/self${path}`, bearer(one.credentials.control_token));
        answers.push(`${path} ${withoutSecrets(JSON.stringify(answer.body))}`);
      }
      return answers;
    };
    expect(differences(await namesOf(second), await namesOf(first))).toEqual([]);
  });

  it('fail at the same step when a failing run is replayed', async () => {
    const hook = await receiver();
    const source = await made(documentAt(hook.url));
    const fork = { from: await snapshotOf(source), id_space: 'own', deterministic: true, journal: true };
    const [run, fresh, changed] = [await made(fork), await made(fork), await made(fork)];
    const { credentials } = run;
    const { ops } = credentials.channels;
    const team = credentials.teams.ENG.id as string;
    const ask = (query: string): Promise<Made> =>
      send(app, 'POST', '/graphql', { authorization: credentials.api_key }, { query });
    const call = async (method: string, args: object = {}): Promise<Made> =>
      (await send(app, 'POST', `/api/${method}`, bearer(credentials.apps['deploy-bot'].bot_token), args)).body;
    const { ts } = await call('chat.postMessage', { channel: ops, text: 'deploying' });
    await call('reactions.add', { channel: ops, timestamp: ts, name: 'eyes' });
    const page = await call('conversations.list', { limit: 2 });
    await call('conversations.list', { limit: 2, cursor: page.response_metadata.next_cursor });
    const { body } = await ask(`mutation { issueCreate(input: { teamId: "${team}", title: "X" }) { issue { id } } }`);
    await ask(
      `mutation { issueUpdate(id: "${body.data.issueCreate.issue.id}", input: { priority: 1 }) { lastSyncId } }`,
    );
    const made2 = await call('conversations.create', { name: 'news' });
    // calls that come together are replayed in the order in which they took effect
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => call('conversations.create', { name })));
    // the step that fails: its channel is archived
    await call('conversations.archive', { channel: made2.channel.id });
    expect(await call('chat.postMessage', { channel: made2.channel.id, text: 'done' })).toMatchObject({
      error: 'is_archived',
    });
    await call('chat.postMessage', { channel: ops, text: 'gave up' });
    const control = bearer(credentials.control_token);
    const trajectory = await (await fetch(`${app.baseUrl}/api/sandboxes/self/trajectory`, { headers: control })).text();
    const start = JSON.parse(trajectory.split('\n', 1)[0] as string);
    expect(start).toMatchObject({ id_space: 'own', deterministic: true, random_seed: 1, complete: true });
    const replay = async (one: Made): Promise<Made> => {
      const response = await fetch(`${app.baseUrl}/api/sandboxes/self/replay`, {
        method: 'POST',
        headers: { ...bearer(one.credentials.control_token), 'content-type': 'application/x-ndjson' },
        body: trajectory,
      });
      return response.json();
    };
    expect(await replay(fresh)).toMatchObject({
      calls: 14,
      same: 14,
      skipped: [],
      differs: [],
      state: { equal: true },
      mapped: {},
    });
    // the same failure, at the same step
    const again = await (
      await fetch(`${app.baseUrl}/api/sandboxes/self/trajectory`, { headers: bearer(fresh.credentials.control_token) })
    ).text();
    const failures = (text: string): unknown[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .filter(({ t, ok }) => t === 'call' && ok === false)
        .map(({ method, at, error, answer }) => ({ method, at, error, answer }));
    expect(failures(again)).toEqual(failures(trajectory));
    expect(failures(again)).toHaveLength(1);
    // where something was done before, ids are others from there on
    await send(app, 'POST', '/api/conversations.create', bearer(changed.credentials.user_token), { name: 'before' });
    const { differs } = await replay(changed);
    expect(differs[0]).toMatchObject({ path: expect.stringMatching(/(?:id|cursor)$/) });
  });
});
