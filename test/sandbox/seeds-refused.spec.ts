import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { closeReceivers } from '../support/receiver.js';
import { OPERATOR, send as sendTo, type Answer, type Call } from '../support/sandbox-routes.js';

describe('Limits of seed documents', () => {
  const app = useApp();
  closeReceivers();

  const send = (...call: Call): Promise<Answer> => sendTo(app, ...call);
  const token = (prefix: string): string => `${prefix}${crypto.randomUUID()}`;

  it('report at most 50 faults, and refuse excessive depth, dates and amounts', async () => {
    const faults = async (document: object): Promise<string[]> => {
      const refused = await send('POST', '/api/sandboxes', OPERATOR, document);
      expect(refused.status).toBe(400);
      return refused.body['message'];
    };
    const many = await faults({ users: Array.from({ length: 60 }, () => ({ name: 'No Handle' })) });
    expect(many).toHaveLength(50);
    expect(many[49]).toMatch(/^users\[49\]\.name: must be 1 to 80 of/);
    const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
    expect(await faults({ users: [{ name: 'a', profile: nested(31) }] })).toEqual([
      'document: must nest at most 32 levels deep',
    ]);
    expect((await send('POST', '/api/sandboxes', OPERATOR, `a: ${'['.repeat(33)}${']'.repeat(33)}`)).status).toBe(400);
    const late = { as: 'admin', text: 'x' };
    const clock = { now: '2026-01-01T09:00:00Z', frozen: true };
    const ops = (message: object): object => ({
      clock,
      channels: [{ name: 'ops', messages: [{ ...late, ...message }] }],
    });
    const path = 'channels[0].messages[0]';
    expect(await faults(ops({ at: 1 }))).toEqual([`${path}.at: must not be later than the sandbox's now`]);
    expect(await faults(ops({ at: '2026-01-01T09:00:01Z' }))).toHaveLength(1);
    expect(await faults(ops({ ts: '1767258001.000000' }))).toHaveLength(1);
    expect((await send('POST', '/api/sandboxes', OPERATOR, ops({ at: 0 }))).status).toBe(201);
    const issues = Array.from({ length: 20_001 }, () => ({ title: 'x' }));
    expect(await faults({ tracker: { teams: [{ key: 'ENG', issues }] } })).toEqual([
      'tracker.teams: must hold at most 20000 issues',
    ]);
    const refs = [
      { ...late, ref: 'a' },
      { ...late, ref: 'a' },
      { ...late, thread: 'aks' },
    ];
    expect(await faults({ channels: [{ name: 'ops', messages: refs }] })).toEqual([
      'channels[0].messages[1].ref: the ref "a" is there twice',
      'channels[0].messages[2].thread: no message has the ref "aks"',
    ]);
    expect((await send('POST', '/api/sandboxes/self/seed', OPERATOR, {})).status).toBe(404);
  });

  it('refuse times that no calendar and no clock of a sandbox has', async () => {
    const faults = async (document: object): Promise<string[]> => {
      const { status, body } = await send('POST', '/api/sandboxes', OPERATOR, document);
      expect(status, JSON.stringify(body)).toBe(400);
      return body['message'];
    };
    const bounds = ['clock.now: must lie between 2000-01-01 and 2100-01-01'];
    for (const now of [1e15, 0, '0000-01-01T00:00:00Z', '1999-12-31T23:59:59Z', '2100-01-01T00:00:01Z']) {
      const said = await faults({ clock: { now } });
      if (now === '0000-01-01T00:00:00Z')
        expect(said).toEqual(['clock.now: must be an ISO time or seconds since 1970']);
      else expect([now, said]).toEqual([now, bounds]);
    }
    for (const now of ['2026-02-30T00:00:00Z', 'Jan 1 2026']) {
      expect(await faults({ clock: { now } })).toEqual(['clock.now: must be an ISO time or seconds since 1970']);
    }
    const eng = (team: object): object => ({ tracker: { teams: [{ key: 'ENG', ...team }] } });
    for (const due_date of ['2026-02-30', '0000-01-01']) {
      expect(await faults(eng({ issues: [{ title: 'x', due_date }] }))).toEqual([
        'tracker.teams[0].issues[0].due_date: must be a day such as 2026-01-31',
      ]);
    }
    const cycle = { number: 1, starts_at: '+275760-01-01T00:00:00Z', ends_at: '2026-03-01' };
    expect(await faults(eng({ cycles: [cycle] }))).toContain(
      'tracker.teams[0].cycles[0].starts_at: must be an ISO time',
    );
    for (const at of ['2026-02-30', '-5', 'Jan 1 2026']) {
      const messages = [{ as: 'admin', text: 'x', at }];
      expect(await faults({ channels: [{ name: 'ops', messages }] })).toEqual([
        expect.stringMatching(/^channels\[0\]\.messages\[0\]\.at: must be seconds/),
      ]);
    }
    // without a zone a time is UTC, wherever the server is
    const messages = [{ as: 'admin', text: 'x', at: '2026-01-01T09:00:00' }];
    const made = await send('POST', '/api/sandboxes', OPERATOR, { channels: [{ name: 'ops', messages }] });
    const exported = await send('GET', `/api/sandboxes/${made.body.id}/seed`, OPERATOR);
    expect(exported.body.channels[0].messages[0].at).toBe('2026-01-01T09:00:00.000Z');
  });

  it('refuse what the API refuses of issues and cycles, also beside what is there', async () => {
    const faults = async (path: string, auth: Record<string, string>, team: object): Promise<string[]> => {
      const { status, body } = await send('POST', path, auth, { tracker: { teams: [{ key: 'ENG', ...team }] } });
      expect(status, JSON.stringify(body)).toBe(400);
      return body['message'];
    };
    const create = (team: object): Promise<string[]> => faults('/api/sandboxes', OPERATOR, team);
    for (const estimate of [1.5, -1, 2 ** 31]) {
      expect(await create({ issues: [{ title: 'x', estimate }] })).toEqual([
        'tracker.teams[0].issues[0].estimate: must be a whole number from 0 to 2147483647',
      ]);
    }
    const cycle = (from: number, to: number): object => ({
      starts_at: `2026-01-${String(from).padStart(2, '0')}`,
      ends_at: `2026-01-${String(to).padStart(2, '0')}`,
    });
    const overlapping = 'starts_at: the cycle overlaps with another one of its team';
    expect(await create({ cycles: [cycle(12, 26), cycle(5, 12), cycle(25, 31), cycle(6, 7)] })).toEqual([
      `tracker.teams[0].cycles[3].${overlapping}`,
      `tracker.teams[0].cycles[2].${overlapping}`,
    ]);
    const numbered = [
      { number: 1, ...cycle(12, 26) },
      { number: 2, ...cycle(5, 12) },
    ];
    const touching = { tracker: { teams: [{ key: 'ENG', cycles: numbered }] } };
    const made = await send('POST', '/api/sandboxes', OPERATOR, touching);
    expect(made.status).toBe(201);
    const ctl = { 'x-sandbox-token': made.body.credentials.control_token };
    expect(await faults('/api/sandboxes/self/seed', ctl, { cycles: [cycle(1, 6)] })).toEqual([
      `tracker.teams[0].cycles[0].${overlapping}`,
    ]);
    // one with the number of one that is there is that one
    expect((await send('POST', '/api/sandboxes/self/seed', ctl, touching)).status).toBe(200);
  });

  it('refuse two projects of one name', async () => {
    const projects = [
      { name: 'Q1', teams: ['ENG'] },
      { name: 'Q1', teams: ['ENG'], description: 'another' },
    ];
    const { status, body } = await send('POST', '/api/sandboxes', OPERATOR, { tracker: { projects } });
    expect([status, body.message]).toEqual([400, ['tracker.projects[1].name: "Q1" is there twice']]);
  });

  it('take two projects whose names differ in case, as the API does', async () => {
    const projects = ['Q1', 'q1'].map((name) => ({ name, teams: ['ENG'] }));
    const { status } = await send('POST', '/api/sandboxes', OPERATOR, { tracker: { projects } });
    expect(status).toBe(201);
  });

  it('refuse two labels, and two states of a team, of one name in any case', async () => {
    const twice = [{ name: 'Bug' }, { name: 'bug' }];
    const states = [
      { name: 'Review', type: 'started' },
      { name: 'review', type: 'started' },
    ];
    const team = { key: 'ENG', labels: twice, states };
    const tracker = { labels: twice, teams: [team, { key: 'OPS', labels: [{ name: 'Bug' }] }] };
    const { status, body } = await send('POST', '/api/sandboxes', OPERATOR, { tracker });
    expect([status, (body.message as unknown as string[]).toSorted()]).toEqual([
      400,
      [
        'tracker.labels[1].name: "bug" is there twice',
        'tracker.teams[0].labels[1].name: "bug" is there twice',
        'tracker.teams[0].states[1].name: "review" is there twice',
      ],
    ]);
  });

  it('warn of unknown fields of the team and of the clock', async () => {
    const document = { team: { nam: 'Acme' }, clock: { frozn: true } };
    const warnings = ['team.nam: no such field', 'clock.frozn: no such field'];
    expect((await send('POST', '/api/sandboxes', OPERATOR, document)).body.warnings).toEqual(warnings);
    const strict = await send('POST', '/api/sandboxes?strict=true', OPERATOR, document);
    expect(strict).toMatchObject({ status: 400, body: { message: warnings } });
  });

  it('report the faults of chat and of the tracker in one answer, of a new sandbox and of an existing one', async () => {
    const document = {
      users: [{ name: 'No Handle' }, { name: 'bob' }],
      channels: [{ name: 'ops', messages: [{ as: 'alcie', text: 'x' }] }],
      tracker: {
        teams: [
          {
            key: 'OPS',
            cycles: [{ starts_at: '2026-01-05', ends_at: '2026-01-19' }],
            issues: [
              { title: 'a', state: 'Nowhere', assignee: 'alcie', labels: ['Nix'], cycle: 2, project: 'Q9', ref: 'a' },
              { title: 'b', parent: 'c', ref: 'b' },
              { title: 'c', parent: 'b', ref: 'c', state: 'todo', assignee: 'bob', cycle: 1, project: 'Q1' },
              { title: 'd', parent: 'x', comments: [{ as: 'alcie', body: 'y' }] },
            ],
          },
        ],
        projects: [{ name: 'Q1', teams: ['OPS', 'ENG'], lead: 'alcie', status: 'Someday' }],
        webhooks: [{ url: 'http://127.0.0.1:9/', team: 'NIX', resource_types: ['Isue'] }],
      },
    };
    const inTracker = [
      'tracker.projects[0].status: no status has the name "Someday"',
      'tracker.projects[0].lead: no user has the name "alcie"',
      'tracker.teams[0].issues[0].state: no state has the name "Nowhere"',
      'tracker.teams[0].issues[0].assignee: no user has the name "alcie"',
      'tracker.teams[0].issues[0].project: no project has the name "Q9"',
      'tracker.teams[0].issues[0].cycle: no cycle of the team has the number "2"',
      'tracker.teams[0].issues[0].labels[0]: no label has the name "Nix"',
      'tracker.teams[0].issues[3].comments[0].as: no user has the name "alcie"',
      'tracker.teams[0].issues[1].parent: must not be an issue below it',
      'tracker.teams[0].issues[2].parent: must not be an issue below it',
      'tracker.teams[0].issues[3].parent: no issue has the ref "x"',
      'tracker.webhooks[0].team: no team has the key "NIX"',
      'tracker.webhooks[0].resource_types[0]: no such type "Isue"',
    ];
    const ofNew = await send('POST', '/api/sandboxes', OPERATOR, document);
    expect(ofNew.status).toBe(400);
    const faults = ofNew.body['message'];
    expect(faults[0]).toMatch(/^users\[0\]\.name: must be 1 to 80 of/);
    expect(faults).toContain('channels[0].messages[0].as: no user or app has the name "alcie"');
    // the document's teams replace ENG
    expect(faults).toContain('tracker.projects[0].teams[1]: no team has the key "ENG"');
    expect(faults).toEqual(expect.arrayContaining(inTracker));
    expect(faults).toHaveLength(inTracker.length + 3);
    const made = await send('POST', '/api/sandboxes', OPERATOR, {});
    const control = { 'x-sandbox-token': made.body['credentials'].control_token };
    const there = await send('POST', '/api/sandboxes/self/seed', control, document);
    expect(there.status).toBe(400);
    expect(there.body['message']).toEqual(expect.arrayContaining(inTracker));
    expect(there.body['message']).toHaveLength(inTracker.length + 2);
  });

  it('refuse fields that only a new sandbox takes, when an existing one is seeded', async () => {
    const made = await send('POST', '/api/sandboxes', OPERATOR, {});
    const control = { 'x-sandbox-token': made.body['credentials'].control_token };
    const own = {
      name: 'x',
      labels: {},
      ttl_seconds: 60,
      journal: true,
      methods: 'core',
      rate_limit_multiplier: 1,
      missing_scope_status: 200,
      clock: {},
      team: {},
      from: 'Sn0AAAAAAAAA',
    };
    const refused = await send('POST', '/api/sandboxes/self/seed', control, own);
    expect(refused.body['message'].toSorted()).toEqual(
      Object.keys(own)
        .toSorted()
        .map((field) => `${field}: only a new sandbox takes it`),
    );
  });

  it('issue tokens bound to this workspace for accounts that existed before', async () => {
    const made = await send('POST', '/api/sandboxes', OPERATOR, {
      users: [{ name: 'alice' }],
      access_token_seconds: 60,
    });
    const { control_token: control, users } = made.body['credentials'];
    const again = await send(
      'POST',
      '/api/sandboxes/self/seed',
      { 'x-sandbox-token': control },
      { users: [{ name: 'alice' }, { name: 'bob' }] },
    );
    const claims = (token: string): Record<string, number> =>
      JSON.parse(String(Buffer.from(token.split('.')[1] as string, 'base64url')));
    const [first, there, fresh] = [users.alice, again.body['users'].alice, again.body['users'].bob].map(
      ({ access_token: token }) => claims(token),
    );
    expect([first?.['bound'], there?.['bound'], fresh?.['bound']]).toEqual([undefined, true, undefined]);
    expect((first?.['exp'] as number) - (first?.['iat'] as number)).toBe(60);
    expect((there?.['exp'] as number) - (there?.['iat'] as number)).toBe(86_400);
    expect(again.body['users'].alice.user_id).toBe(users.alice.user_id);
    const own = { authorization: `Bearer ${again.body['users'].alice.access_token}` };
    expect((await send('POST', '/api/workspaces', own, { name: 'mine' })).body['message']).toBe(
      'not_allowed_token_type',
    );
  });

  it('allow user tokens of the default app, and every event kind whatever methods says', async () => {
    const userToken = token('xoxp-');
    const made = await send('POST', '/api/sandboxes', OPERATOR, {
      methods: 'core',
      users: [{ name: 'alice', user_token: userToken }],
      apps: [
        {
          name: 'pins',
          scopes: { bot: ['pins:read'] },
          event_subscriptions: { request_url: 'http://127.0.0.1:9/events', events: ['pin_added', 'file_shared'] },
        },
      ],
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body['methods']).toBe('core');
    const { body } = await send('POST', '/api/auth.test', { authorization: `Bearer ${userToken}` });
    expect(body).toMatchObject({ ok: true, user: 'alice', team_id: made.body['team_id'] });
    const asApp = { authorization: `Bearer ${made.body['credentials'].apps.pins.bot_token}` };
    const { subscriptions } = (await send('GET', '/api/events/subscriptions', asApp)).body;
    expect(subscriptions[0].events).toEqual(['pin_added', 'file_shared']);
  });

  it('refuse a body over 32 MiB before reading it', async () => {
    const { status, body } = await send('POST', '/api/sandboxes', OPERATOR, { name: ' '.repeat(33 * 1024 * 1024) });
    expect([status, body['message']]).toEqual([413, 'payload_too_large']);
  });

  it('refuse the export of more than a document may hold', async () => {
    const made = await send('POST', '/api/sandboxes', OPERATOR, { channels: [{ name: 'long', messages: 50_000 }] });
    expect(made.status, JSON.stringify(made.body).slice(0, 300)).toBe(201);
    const { control_token: control, bot_token: bot } = made.body['credentials'];
    const posted = await send(
      'POST',
      '/api/chat.postMessage',
      { authorization: `Bearer ${bot}` },
      { channel: 'general', text: 'one too many' },
    );
    expect(posted.body['ok'], JSON.stringify(posted.body)).toBe(true);
    const { status, body } = await send('GET', '/api/sandboxes/self/seed', { 'x-sandbox-token': control });
    expect([status, body['message']]).toEqual([409, 'sandbox_too_large']);
    expect((await send('DELETE', `/api/sandboxes/${made.body['id']}`, OPERATOR)).status).toBe(200);
  });
});
