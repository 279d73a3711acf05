import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/kernel/text/canonical-json.js';
import { useApp } from '../support/app.js';
import { onPostgres, serverUrl } from '../support/databases.js';
import { twoReplicas } from '../support/replicas.js';
import { bearer, makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

const DOCUMENT = {
  team: { name: 'Acme' },
  users: [{ name: 'alice', is_admin: true, profile: { title: 'CTO' } }, { name: 'bob' }],
  apps: [{ name: 'deploy-bot', scopes: { bot: ['chat:write', 'channels:history', 'reactions:write', 'pins:write'] } }],
  channels: [
    {
      name: 'ops',
      topic: 'ask <@bob>',
      members: ['alice', 'bob', 'deploy-bot'],
      messages: [
        { as: 'alice', text: 'deploy please <@deploy-bot>', ref: 'ask' },
        {
          as: 'deploy-bot',
          text: 'done',
          thread: 'ask',
          reactions: { tada: ['bob', 'alice'] },
          blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'for <@alice>' } }],
        },
      ],
    },
  ],
  dms: [{ members: ['alice', 'bob'], messages: [{ as: 'alice', text: 'hi' }] }],
  incoming_webhooks: [{ app: 'deploy-bot', channel: 'ops' }],
  tracker: {
    teams: [
      {
        key: 'ENG',
        labels: [{ name: 'Bug' }],
        issues: [
          { title: 'Fix login', assignee: 'alice', labels: ['Bug'], priority: 2, ref: 'login' },
          { title: 'Subtask', parent: 'login', comments: [{ as: 'bob', body: 'On it' }] },
        ],
      },
    ],
    projects: [{ name: 'Q1', teams: ['ENG'], lead: 'alice' }],
    initiatives: [{ name: 'Grow', owner: 'bob', projects: ['Q1'] }],
    release_pipelines: [
      { name: 'iOS', releases: [{ name: 'Spring', version: '1' }], notes: [{ content: 'Fast', releases: ['Spring'] }] },
    ],
  },
};

describe('GET /api/sandboxes/:id/state', () => {
  const app = useApp();
  const stateOf = async (ctl: Record<string, string>, query = '') => {
    const { status, body } = await send(app, 'GET', `/api/sandboxes/self/state${query}`, ctl);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };

  it('names everything and gives the SHA-256 of the canonical document, as a whole and of each product', async () => {
    const { ctl } = await makeSandbox(app, DOCUMENT);
    const { document, hash, chat, tracker, counts } = await stateOf(ctl, '?document=true');
    const sha256 = (value: unknown) => `sha256:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
    expect([hash, chat, tracker]).toEqual([sha256(document), sha256(document.chat), sha256(document.tracker)]);
    expect(document.tracker.initiative).toMatchObject([{ name: 'Grow', owner: 'bob', status: 'Planned' }]);
    expect(document.tracker.initiative_to_project).toEqual([{ initiative: 'Grow', project: 'Q1' }]);
    expect(document.tracker.release).toMatchObject([{ pipeline: 'iOS', name: 'Spring', stage: 'In Progress' }]);
    expect(document.tracker.release_note).toMatchObject([{ pipeline: 'iOS', content: 'Fast', releases: ['Spring'] }]);
    expect(Object.keys(document)).toEqual(['format', 'chat', 'tracker']);
    expect(document.format).toBe('understudy.state/1');
    expect(counts).toMatchObject({ message: document.chat.message.length, issue: 2, comment: 1, project: 1 });
    expect(JSON.stringify(document)).not.toMatch(/[TUCDBA]0[0-9A-Z]{9}|[0-9a-f]{8}-[0-9a-f]{4}-4/);

    const root = { by: 'alice', channel: 'ops', text: 'deploy please <@deploy-bot>' };
    expect(document.chat.message).toContainEqual({
      channel: 'ops',
      by: 'deploy-bot',
      subtype: null,
      text: 'done',
      blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'for <@alice>' } }],
      attachments: [],
      metadata: null,
      files: [],
      thread: sha256(root),
      broadcast: false,
      pinned: false,
      reactions: { tada: ['alice', 'bob'] },
    });
    expect(document.chat.message).toContainEqual(expect.objectContaining({ channel: 'alice,bob', text: 'hi' }));
    expect(document.chat.channel).toContainEqual({
      name: 'ops',
      type: 'public',
      topic: 'ask <@bob>',
      purpose: '',
      archived: false,
      members: expect.arrayContaining(['alice', 'bob', 'deploy-bot']),
    });
    expect(document.chat.user).toContainEqual(
      expect.objectContaining({ name: 'alice', title: 'CTO', is_admin: true, is_bot: false, deleted: false }),
    );
    expect(document.tracker.issue).toContainEqual({
      team: 'ENG',
      title: 'Subtask',
      description: null,
      state: 'Backlog',
      assignee: null,
      creator: expect.any(String),
      priority: 0,
      estimate: null,
      due_date: null,
      labels: [],
      project: null,
      cycle: null,
      parent: 'ENG: Fix login',
      archived: false,
    });
    expect(document.tracker.comment).toEqual([
      { issue: 'ENG: Subtask', by: 'bob', body: 'On it', parent: null, resolved: false },
    ]);
  });

  it('has files, scheduled messages, commands, groups, bookmarks, cycles and what hangs on issues and projects', async () => {
    const document = {
      users: [{ name: 'alice' }],
      apps: [
        {
          name: 'deploy-bot',
          scopes: { bot: ['chat:write', 'files:write', 'commands'] },
          commands: [{ command: '/ship', url: 'http://127.0.0.1:9/command' }],
        },
      ],
      usergroups: [{ name: 'On call', handle: 'oncall', users: ['alice'], channels: ['ops'] }],
      channels: [
        {
          name: 'ops',
          members: ['alice', 'deploy-bot'],
          bookmarks: [{ title: 'Runbook', link: 'https://a.example/' }],
        },
      ],
      tracker: {
        teams: [
          {
            key: 'ENG',
            cycles: [{ number: 1, starts_at: '2026-01-05', ends_at: '2026-01-19' }],
            issues: [
              {
                title: 'A',
                ref: 'a',
                attachments: [{ title: 'Log', url: 'https://a.example/log' }],
                reactions: { eyes: ['alice'] },
              },
              { title: 'B', relations: [{ issue: 'a', type: 'blocks' }] },
            ],
          },
        ],
        projects: [
          { name: 'Q1', teams: ['ENG'], milestones: [{ name: 'Beta' }], updates: [{ as: 'alice', body: 'Fine' }] },
        ],
      },
    };
    const { ctl, body } = await makeSandbox(app, document);
    const bot = bearer(body.credentials.apps['deploy-bot'].bot_token);
    const channel = body.credentials.channels.ops;
    const slot = await send(app, 'POST', '/api/files.getUploadURLExternal', bot, { filename: 'a.txt', length: 5 });
    expect(slot.body.ok, JSON.stringify(slot.body)).toBe(true);
    await fetch(slot.body.upload_url, { method: 'POST', body: 'hello' });
    const files = [{ id: slot.body.file_id }];
    const done = await send(app, 'POST', '/api/files.completeUploadExternal', bot, { files, channel_id: channel });
    expect(done.body.ok, JSON.stringify(done.body)).toBe(true);
    const at = Math.floor(Date.now() / 1000) + 3600;
    const later = await send(app, 'POST', '/api/chat.scheduleMessage', bot, { channel, text: 'later', post_at: at });
    expect(later.body.ok, JSON.stringify(later.body)).toBe(true);

    const { chat, tracker } = (await stateOf(ctl, '?document=true')).document;
    const sha256 = createHash('sha256').update('hello').digest('hex');
    expect(chat.message).toEqual([expect.objectContaining({ files: [{ name: 'a.txt', sha256 }], by: 'deploy-bot' })]);
    expect(chat.scheduled_message).toEqual([{ channel: 'ops', by: 'deploy-bot', text: 'later' }]);
    expect(chat.command).toEqual([{ app: 'deploy-bot', command: '/ship' }]);
    expect(chat.usergroup).toEqual([
      { name: 'On call', handle: 'oncall', description: '', users: ['alice'], channels: ['ops'] },
    ]);
    expect(chat.bookmark).toEqual([{ channel: 'ops', title: 'Runbook', link: 'https://a.example/', emoji: '' }]);
    expect(tracker.cycle).toEqual([{ team: 'ENG', number: 1, name: null }]);
    expect(tracker.project_milestone).toMatchObject([{ project: 'Q1', name: 'Beta', target_date: null }]);
    expect(tracker.project_update).toEqual([{ project: 'Q1', by: 'alice', body: 'Fine', health: 'onTrack' }]);
    expect(tracker.issue_relation).toEqual([{ issue: 'ENG: B', related_issue: 'ENG: A', type: 'blocks' }]);
    expect(tracker.attachment).toMatchObject([{ issue: 'ENG: A', title: 'Log', url: 'https://a.example/log' }]);
    expect(tracker.tracker_reaction).toEqual([
      { issue: 'ENG: A', comment: null, project: null, by: 'alice', emoji: 'eyes' },
    ]);
  });

  it('is the same for two sandboxes of one document and for a copy, and has ids only when asked', async () => {
    const first = await makeSandbox(app, DOCUMENT);
    const second = await makeSandbox(app, DOCUMENT);
    const taken = await send(app, 'POST', '/api/sandboxes/self/snapshots', first.ctl, { name: 's' });
    const copy = await send(app, 'POST', '/api/sandboxes', first.ctl, { from: taken.body.id });
    const states = [
      await stateOf(first.ctl),
      await stateOf(second.ctl),
      await stateOf({ 'x-sandbox-token': copy.body.credentials.control_token }),
    ];
    expect(new Set(states.map(({ hash }) => hash)).size, JSON.stringify(states)).toBe(1);
    const withIds = await stateOf(first.ctl, '?ids=true&document=true');
    expect(withIds.hash).not.toBe(states[0].hash);
    const { refs } = first.body.credentials;
    expect(withIds.document.chat.message).toContainEqual(
      expect.objectContaining({ ts: refs.ask.ts, text: 'deploy please <@deploy-bot>' }),
    );
    expect(withIds.document.tracker.issue).toContainEqual(expect.objectContaining(refs.login));
  });

  it('changes with what is done, comes back with a reset, and can be read as of a snapshot', async () => {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const before = await stateOf(ctl);
    const bot = bearer(body.credentials.apps['deploy-bot'].bot_token);
    const { channel, ts } = body.credentials.refs.ask;
    for (const [method, args] of [
      ['reactions.add', { channel, timestamp: ts, name: 'eyes' }],
      ['pins.add', { channel, timestamp: ts }],
      ['chat.postMessage', { channel, text: 'new' }],
    ] as const) {
      const last = await stateOf(ctl);
      expect((await send(app, 'POST', `/api/${method}`, bot, args)).body).toMatchObject({ ok: true });
      const now = await stateOf(ctl);
      expect(now.chat, method).not.toBe(last.chat);
      expect(now.tracker, method).toBe(last.tracker);
    }
    expect((await stateOf(ctl, '?at=baseline')).hash).toBe(before.hash);
    const changed = await stateOf(ctl);
    const { body: snapshot } = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 'later' });
    expect((await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {})).status).toBe(200);
    expect((await stateOf(ctl)).hash).toBe(before.hash);
    expect((await stateOf(ctl, '?at=later')).hash).toBe(changed.hash);
    expect((await stateOf(ctl, `?at=${snapshot.id}`)).hash).toBe(changed.hash);
  });

  it('leaves out what is to be ignored, and refuses what is no entity, no field or no snapshot', async () => {
    const { ctl } = await makeSandbox(app, DOCUMENT);
    const { document } = await stateOf(ctl, '?document=true&ignore=message,issue.assignee');
    expect(document.chat.message).toBeUndefined();
    expect(document.tracker.issue[0]).not.toHaveProperty('assignee');
    for (const query of ['?ignore=mesage', '?ignore=issue.asignee', '?ids=yes', '?at=a&at=b', '?ignore=issue.']) {
      expect((await send(app, 'GET', `/api/sandboxes/self/state${query}`, ctl)).status, query).toBe(400);
    }
    const unknown = await send(app, 'GET', '/api/sandboxes/self/state?at=never', ctl);
    expect(unknown).toMatchObject({ status: 404, body: { message: 'snapshot_not_found' } });
  });

  it('does not contain a deleted issue nor what hangs on it', async () => {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const key = { authorization: body.credentials.api_key };
    const query = `mutation { issueDelete(id: "${body.credentials.refs.login.id}") { success } }`;
    expect((await send(app, 'POST', '/graphql', key, { query })).body.data.issueDelete.success).toBe(true);
    const { document } = await stateOf(ctl, '?document=true');
    expect(document.tracker.issue.map(({ title }: { title: string }) => title)).not.toContain('Fix login');
  });

  it('is refused beyond the bound of rows, and to those who may not work on the sandbox', async () => {
    const { body } = await makeSandbox(app, DOCUMENT);
    const { credentials, id } = body;
    const other = await makeSandbox(app);
    const path = `/api/sandboxes/${id}/state`;
    expect((await send(app, 'GET', path, other.ctl)).status).toBe(404);
    expect((await send(app, 'GET', path, bearer(credentials.bot_token))).status).toBe(403);
    expect((await send(app, 'GET', path, {})).status).toBe(401);
  });
});

describe('POST /api/sandboxes/:id/state/compare', () => {
  const app = useApp();
  const compare = (ctl: Record<string, string>, body: object) =>
    send(app, 'POST', '/api/sandboxes/self/state/compare', ctl, body);

  it('tells what only one of the two has, with a snapshot, a document, a copy and a hash', async () => {
    const made = await makeSandbox(app, DOCUMENT);
    const { ctl, body } = made;
    const { body: baseline } = await send(app, 'GET', '/api/sandboxes/self/state?document=true', ctl);
    const { body: taken } = await send(app, 'POST', '/api/sandboxes/self/snapshots', ctl, { name: 's' });
    const copy = await send(app, 'POST', '/api/sandboxes', ctl, { from: taken.id });
    const bot = bearer(body.credentials.apps['deploy-bot'].bot_token);
    // two alike count as two
    for (const text of ['again', 'again']) {
      await send(app, 'POST', '/api/chat.postMessage', bot, { channel: body.credentials.channels.ops, text });
    }
    for (const other of [
      { snapshot: 's' },
      { snapshot: 'baseline' },
      { snapshot: taken.id },
      { sandbox: copy.body.id },
      { document: baseline.document },
    ]) {
      const { status, body: found } = await compare(ctl, { with: other });
      expect(status, JSON.stringify(found)).toBe(200);
      expect(found).toMatchObject({ equal: false, other: baseline.hash, only_there: {}, truncated: false });
      expect(Object.keys(found.only_here)).toEqual(['message']);
      expect(found.only_here.message.map(({ text }: { text: string }) => text)).toEqual(['again', 'again']);
      const ignored = await compare(ctl, { with: other, ignore: ['message'] });
      expect(ignored.body).toMatchObject({ equal: true, only_here: {}, only_there: {} });
    }
    const hashes = await compare(ctl, { with: { hash: baseline.hash } });
    expect(hashes.body).toMatchObject({ equal: false, other: baseline.hash, only_here: {}, only_there: {} });
    expect((await compare(ctl, { with: { hash: hashes.body.hash } })).body.equal).toBe(true);
  });

  it('shows at most 100 of an entity', async () => {
    const { ctl } = await makeSandbox(app, { channels: [{ name: 'bulk', messages: 130 }] });
    const empty = await makeSandbox(app);
    const operators = { ...OPERATOR };
    const { body } = await send(app, 'GET', '/api/sandboxes/self', ctl);
    const found = await send(app, 'POST', `/api/sandboxes/${body.id}/state/compare`, operators, {
      with: { sandbox: empty.body.id },
    });
    expect(found.body).toMatchObject({ equal: false, truncated: true });
    expect(found.body.only_here.message).toHaveLength(100);
  });

  it('does not find sandboxes and snapshots that the caller may not see', async () => {
    const made = await makeSandbox(app, DOCUMENT);
    const other = await makeSandbox(app, DOCUMENT);
    const { body: taken } = await send(app, 'POST', '/api/sandboxes/self/snapshots', other.ctl, { name: 'theirs' });
    expect(await compare(made.ctl, { with: { sandbox: other.body.id } })).toMatchObject({
      status: 404,
      body: { message: 'sandbox_not_found' },
    });
    for (const snapshot of [taken.id, 'theirs']) {
      expect(await compare(made.ctl, { with: { snapshot } })).toMatchObject({
        status: 404,
        body: { message: 'snapshot_not_found' },
      });
    }
    // nor does a copy see the one it was made of
    const copy = await send(app, 'POST', '/api/sandboxes', other.ctl, { from: taken.id });
    const ofCopy = { 'x-sandbox-token': copy.body.credentials.control_token };
    expect((await compare(ofCopy, { with: { sandbox: other.body.id } })).status).toBe(404);
    const path = `/api/sandboxes/${made.body.id}/state/compare`;
    expect((await send(app, 'POST', path, OPERATOR, { with: { snapshot: taken.id } })).body.equal).toBe(true);
  });

  it.each([
    [{}, 'with: must be an object'],
    [{ with: {} }, 'with: must have one of sandbox, snapshot, document, hash'],
    [{ with: { hash: 'abc' } }, 'with.hash: must be sha256: and 64 hexadecimal digits'],
    [{ with: { document: {} } }, 'with.document: must be a document of the format understudy.state/1'],
    [
      { with: { document: { format: 'understudy.state/1', chat: { message: [1] }, tracker: {} } } },
      'with.document.chat: must be an object of lists of objects',
    ],
    [{ with: { snapshot: 'baseline' }, ignore: ['mesage'] }, /^ignore\[0\]: must be one of user, channel, message/],
    [{ with: { snapshot: 'baseline' }, other: 1 }, 'other: no such field'],
  ])('refuses %j', async (body, message) => {
    const { ctl } = await makeSandbox(app);
    expect(await compare(ctl, body)).toMatchObject({
      status: 400,
      body: { message: message instanceof RegExp ? expect.stringMatching(message) : message },
    });
  });
});

describe.skipIf(serverUrl === undefined)(`the state of a sandbox over two replicas${onPostgres}`, () => {
  it('is the same in both, and refused beyond SVC_SNAPSHOT_MAX_ROWS', async () => {
    const [first, second] = await twoReplicas({ SVC_SNAPSHOT_MAX_ROWS: '400' });
    const made = await makeSandbox(first, DOCUMENT);
    const path = '/api/sandboxes/self/state';
    const { body } = await send(first, 'GET', path, made.ctl);
    expect((await send(second, 'GET', path, made.ctl)).body).toEqual(body);
    const large = await makeSandbox(first, { channels: [{ name: 'bulk', messages: 500 }] });
    expect(await send(second, 'GET', path, large.ctl)).toMatchObject({
      status: 409,
      body: { message: 'sandbox_too_large' },
    });
  });
});
