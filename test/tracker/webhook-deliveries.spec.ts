import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { TestApp } from '../support/app.js';
import { createDatabase, serverUrl } from '../support/databases.js';
import { closeReceivers, eventually, receiver, type Received } from '../support/receiver.js';
import { callRest } from '../support/rest-call.js';
import { builds } from '../support/tracker-issues.js';
import type { OrganizationBuilder } from '../support/tracker.js';
import { unique } from '../support/unique.js';

const TYPES = ['Issue', 'Comment', 'IssueLabel', 'Project', 'Cycle', 'User'] as const;
const ATTEMPTS = 4;
/** Less in sum over all attempts than the minute that the official client allows. */
const STEP_MS = 5_000;

// a server of its own, on a store of its own: others must not send its deliveries, and retries do not wait here
let app: TestApp;
let drop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  const database = serverUrl === undefined ? undefined : await createDatabase();
  drop = database?.drop;
  app = await TestApp.start({
    SVC_WEBHOOK_RETRY_DELAYS: '0,0,0',
    ...(database ? { DATABASE_URL: database.url } : {}),
  });
});
afterEach(() => app.clock.reset());
afterAll(async () => {
  await app.stop();
  await drop?.();
});
closeReceivers();

interface Hook {
  id: string;
  secret: string;
  /** Bodies that the official client's handler took, in order. */
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of bodies freely
  heard: any[];
  /** What it answered to each request. */
  answers: number[];
  received: Received[];
  /** So many requests were answered. */
  until: (count: number) => Promise<void>;
  /** Answers with this instead, where it is set; nothing is handed to the handler then. */
  refuse: (() => number | Promise<number>) | undefined;
  setSecret: (secret: string) => void;
}

/** A webhook at whose far end the official client's handler stands. */
async function hookOf(org: OrganizationBuilder, input: object = {}): Promise<Hook> {
  const end = await receiver();
  const made = await org.client().createWebhook({ url: end.url, resourceTypes: [...TYPES], ...input });
  const { id, secret } = (await made.webhook)!;
  let handler: ReturnType<LinearWebhookClient['createHandler']>;
  const hook: Hook = {
    id,
    secret: secret as string,
    heard: [],
    answers: [],
    received: end.received,
    // a request comes before its answer, so this is not the receiver's own `until`
    until: (count) => eventually(() => hook.answers.length >= count, `${count} answers`),
    refuse: undefined,
    setSecret(value) {
      handler = new LinearWebhookClient(value).createHandler();
      for (const type of TYPES) handler.on(type, (payload) => void hook.heard.push(payload));
    },
  };
  hook.setSecret(hook.secret);
  const answer = async (request: Received): Promise<number> => {
    if (hook.refuse) return hook.refuse();
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    return (await handler(new Request(end.url, { method: 'POST', headers, body: request.body }))).status;
  };
  end.answer = (request, reply) =>
    void answer(request).then((status) => {
      hook.answers.push(status);
      reply.writeHead(status).end();
    });
  return hook;
}

// oxlint-disable-next-line typescript/no-explicit-any -- as above
const told = ({ type, action, data }: any): string => `${type} ${action} ${data.title ?? data.body ?? data.name}`;

/** An account without an organization; answers its access token. */
async function signUp(name: string): Promise<string> {
  const { id } = await app.workspace();
  const body = { email: `${unique('user')}@acme.example`, password: 'correct horse', name, team_id: id };
  return (await callRest(app, 'POST', '/api/auth/signup', { body })).body['accessToken'] as string;
}

describe('what webhooks hear', () => {
  it('is every change of the six types, in order, each accepted by the official client', async () => {
    const org = await app.organization();
    const client = org.client();
    const hook = await hookOf(org);
    const build = builds(org);
    const [todo, doing] = [await build.state('Todo'), await build.state('In Progress')];

    const label = (await (await client.createIssueLabel({ name: 'Bug' })).issueLabel)!;
    await client.updateIssueLabel(label.id, { name: 'Defect' });
    const issue = (await (
      await client.createIssue({ teamId: org.team.id, title: 'Café ☕', stateId: todo.id })
    ).issue)!;
    await issue.update({ stateId: doing.id, assigneeId: org.owner.id, title: 'Tea' });
    await client.issueAddLabel(issue.id, label.id);
    const comment = (await (await client.createComment({ issueId: issue.id, body: 'Hm' })).comment)!;
    await comment.update({ body: 'Aha' });
    await comment.delete();
    await issue.delete();
    await issue.unarchive();
    const project = (await (await client.createProject({ name: 'Launch', teamIds: [org.team.id] })).project)!;
    await client.updateProject(project.id, { name: 'Lift-off' });
    await client.createComment({ projectId: project.id, body: 'Go' });
    await project.delete();
    const startsAt = new Date(app.clock.nowMs() + 86_400_000);
    const endsAt = new Date(startsAt.getTime() + 86_400_000);
    const cycle = (await (await client.createCycle({ teamId: org.team.id, name: 'One', startsAt, endsAt })).cycle)!;
    await cycle.update({ name: 'Two' });
    await cycle.archive();
    await label.delete();
    const token = await signUp('Sue Storm');
    const joined = await callRest(app, 'POST', '/api/organization/join', { token, body: { urlKey: org.urlKey } });
    expect(joined.status, JSON.stringify(joined.body)).toBe(200);
    const user = joined.body['user'] as { id: string };
    await client.suspendUser(user.id);
    // none of these are told, though they are events
    await client.updateTeam('ENG', { name: 'Engine room' });
    await client.updateOrganization({ name: 'Acme' });
    await client.updateUser('me', { timezone: 'Asia/Tokyo' });

    const expected = [
      'IssueLabel create Bug',
      'IssueLabel update Defect',
      'Issue create Café ☕',
      'Issue update Tea',
      'Issue update Tea',
      'Comment create Hm',
      'Comment update Aha',
      'Comment remove Aha',
      'Issue remove Tea',
      'Issue update Tea',
      'Project create Launch',
      'Project update Lift-off',
      'Comment create Go',
      'Project remove Lift-off',
      'Cycle create One',
      'Cycle update Two',
      'Cycle update Two',
      'IssueLabel remove Defect',
      'User create Sue Storm',
      'User update Sue Storm',
      'User update Ada Lovelace',
    ];
    await hook.until(expected.length);
    expect(hook.heard.map(told)).toEqual(expected);
    expect(new Set(hook.answers)).toEqual(new Set([200]));
    const firing = (await org.recorded()).filter(({ data }) => TYPES.includes(data['type']));
    expect(hook.heard).toEqual(
      firing.map(({ data }) => ({ ...data, webhookId: hook.id, webhookTimestamp: expect.any(Number) })),
    );
    expect(Object.keys(hook.heard[0])).not.toContain('event');
    hook.received.forEach(({ headers, body }, i) => {
      expect(headers['linear-event'], body).toBe(hook.heard[i].type);
      expect(headers['svc-event']).toBe(hook.heard[i].type);
    });
    expect(new Set(hook.received.map(({ headers }) => headers['linear-delivery'])).size).toBe(expected.length);
    // what changed, as it was; references by id, null where it was null
    expect(hook.heard[3].updatedFrom).toEqual({
      title: 'Café ☕',
      stateId: todo.id,
      assigneeId: null,
      startedAt: null,
      updatedAt: hook.heard[2].data.updatedAt,
    });
    expect(hook.heard[4].updatedFrom).toEqual({ labelIds: [], updatedAt: hook.heard[3].data.updatedAt });
    for (const { action, updatedFrom } of hook.heard) expect(updatedFrom !== undefined).toBe(action === 'update');
  });

  it('is what its teams are about: both of a move, any of a project; private teams are for their own webhooks', async () => {
    const org = await app.organization();
    const client = org.client();
    const [ops, secret] = [await org.newTeam({ key: 'OPS' }), await org.newTeam({ key: 'HUSH', private: true })];
    const hooks = {
      all: await hookOf(org),
      eng: await hookOf(org, { teamId: 'ENG' }),
      ops: await hookOf(org, { teamId: ops.id }),
      secret: await hookOf(org, { teamId: secret.id }),
    };
    const issue = async (teamId: string, title: string) => (await (await client.createIssue({ teamId, title })).issue)!;

    const moved = await issue(org.team.id, 'in ENG');
    await client.createComment({ issueId: moved.id, body: 'on it' });
    await moved.update({ teamId: ops.id, title: 'moved' });
    await moved.update({ title: 'in OPS' });
    const hidden = await issue(secret.id, 'hidden');
    await client.createComment({ issueId: hidden.id, body: 'hidden too' });
    await client.createProject({ name: 'of ENG and HUSH', teamIds: [org.team.id, secret.id] });
    const project = (await (await client.createProject({ name: 'of HUSH', teamIds: [secret.id] })).project)!;
    await client.createComment({ projectId: project.id, body: 'on HUSH' });
    await client.createIssueLabel({ name: 'workspace' });
    await client.createIssueLabel({ name: 'OPS label', teamId: ops.id });
    await client.createIssueLabel({ name: 'HUSH label', teamId: secret.id });
    const times = { startsAt: new Date(Date.UTC(2040, 0, 1)), endsAt: new Date(Date.UTC(2040, 0, 14)) };
    await client.createCycle({ teamId: ops.id, name: 'OPS cycle', ...times });
    await client.createCycle({ teamId: secret.id, name: 'HUSH cycle', ...times });
    await client.updateUser('me', { timezone: 'Asia/Tokyo' });
    // what a webhook hears is in order: with these, everything before has come or will not
    for (const teamId of [org.team.id, ops.id, secret.id]) await issue(teamId, 'last');

    const expected = {
      all: [
        'Issue create in ENG',
        'Comment create on it',
        'Issue update moved',
        'Issue update in OPS',
        'Project create of ENG and HUSH',
        'IssueLabel create workspace',
        'IssueLabel create OPS label',
        'Cycle create OPS cycle',
        'User update Ada Lovelace',
        'Issue create last',
        'Issue create last',
      ],
      eng: [
        'Issue create in ENG',
        'Comment create on it',
        'Issue update moved',
        'Project create of ENG and HUSH',
        'Issue create last',
      ],
      ops: [
        'Issue update moved',
        'Issue update in OPS',
        'IssueLabel create OPS label',
        'Cycle create OPS cycle',
        'Issue create last',
      ],
      secret: [
        'Issue create hidden',
        'Comment create hidden too',
        'Project create of ENG and HUSH',
        'Project create of HUSH',
        'Comment create on HUSH',
        'IssueLabel create HUSH label',
        'Cycle create HUSH cycle',
        'Issue create last',
      ],
    };
    for (const [name, hook] of Object.entries(hooks)) {
      const texts = expected[name as keyof typeof expected];
      await hook.until(texts.length);
      expect(hook.heard.map(told), name).toEqual(texts);
    }
    const [{ updatedFrom, data }] = hooks.ops.heard;
    expect(updatedFrom).toMatchObject({ teamId: org.team.id, title: 'in ENG' });
    expect(data).toMatchObject({ teamId: ops.id, identifier: 'OPS-1' });
  });
});

describe('what goes wrong', () => {
  it('is tried again, stamped and signed anew under the same delivery id; 200 alone is success', async () => {
    const org = await app.organization();
    const hook = await hookOf(org);
    const codes = [500, 204, 302];
    hook.refuse = () => {
      app.clock.advance(STEP_MS);
      const code = codes.shift() as number;
      if (codes.length === 0) hook.refuse = undefined;
      return code;
    };
    await org.client().updateUser('me', { timezone: 'Europe/London' });
    await hook.until(ATTEMPTS);
    expect(hook.answers).toEqual([500, 204, 302, 200]);
    expect(hook.heard).toHaveLength(1);
    const of = (header: string) => hook.received.map(({ headers }) => headers[header]);
    expect(new Set([...of('svc-delivery'), ...of('linear-delivery')]).size).toBe(1);
    expect(new Set(of('linear-signature')).size).toBe(ATTEMPTS);
    const client = new LinearWebhookClient(hook.secret);
    const bodies = hook.received.map(({ headers, body }) => {
      expect(client.verify(Buffer.from(body), headers['linear-signature'] as string)).toBe(true);
      const { webhookTimestamp, ...rest } = JSON.parse(body);
      expect(headers['svc-timestamp']).toBe(String(webhookTimestamp));
      return { webhookTimestamp: webhookTimestamp as number, rest };
    });
    bodies.slice(1).forEach(({ webhookTimestamp, rest }, i) => {
      expect(webhookTimestamp - bodies[i]!.webhookTimestamp).toBeGreaterThanOrEqual(STEP_MS);
      expect(rest).toEqual(bodies[0]!.rest);
    });
  });

  it('is made up for hours later, when a slow webhook held up what came behind', async () => {
    const org = await app.organization();
    const hook = await hookOf(org);
    const say = (timezone: string) => org.client().updateUser('me', { timezone });
    let answer: (status: number) => void = () => undefined;
    hook.refuse = () => new Promise<number>((answered) => (answer = answered));
    await say('Europe/London');
    await eventually(() => hook.received.length === 1, 'the first one is under way');
    await say('Europe/Paris');
    hook.refuse = () => 200;
    app.clock.advance(7_200_000);
    answer(200);
    await hook.until(2);
    expect(hook.received.map(({ body }) => JSON.parse(body).data.timezone)).toEqual(['Europe/London', 'Europe/Paris']);
  });

  it('is signed with the secret of now: a rotated one stops at once, for retries too', async () => {
    const org = await app.organization();
    const hook = await hookOf(org);
    const say = (timezone: string) => org.client().updateUser('me', { timezone });
    await say('Europe/London');
    await hook.until(1);
    const rotated = (await org.client().rotateSecretWebhook(hook.id)).secret;
    expect(rotated).not.toBe(hook.secret);
    hook.setSecret(rotated);
    await say('Europe/Paris');
    await hook.until(2);
    // between an attempt and the next one
    hook.refuse = async () => {
      hook.refuse = undefined;
      hook.setSecret((await org.client().rotateSecretWebhook(hook.id)).secret);
      return 500;
    };
    await say('Europe/Rome');
    await hook.until(4);
    expect(hook.answers).toEqual([200, 200, 500, 200]);
    expect(hook.heard.map(({ data }) => data.timezone)).toEqual(['Europe/London', 'Europe/Paris', 'Europe/Rome']);
  });

  it('five times in a row with all attempts used up switches a webhook off; switched on, it starts afresh', async () => {
    const org = await app.organization();
    const hook = await hookOf(org);
    const client = org.client();
    let zone = 0;
    const say = () => client.updateUser('me', { timezone: `Etc/GMT+${++zone % 12}` });
    const enabled = async () => (await client.webhook(hook.id)).enabled;
    const failing = async (events: number): Promise<void> => {
      const before = hook.received.length;
      hook.refuse = () => 500;
      for (let i = 0; i < events; i++) await say();
      await hook.until(before + events * ATTEMPTS);
    };
    const counted = (inARow: number) =>
      eventually(async () => {
        const [row] = await app.nest
          .get(Db)
          .readText<{ n: number }>('SELECT exhausted_in_row AS n FROM delivery_targets WHERE id = $1', [hook.id]);
        return row?.n === inARow;
      }, `${inARow} in a row`);

    // four and a success: the count begins again
    await failing(4);
    await counted(4);
    hook.refuse = undefined;
    await say();
    await counted(0);
    expect(await enabled()).toBe(true);

    const seen = (await org.recorded()).length;
    await failing(5);
    await eventually(async () => !(await enabled()), 'the webhook is off');
    // the server does it by itself: nobody is told
    expect((await org.recorded()).length).toBe(seen + 5);
    const before = hook.received.length;
    hook.refuse = undefined;
    await say();

    await client.updateWebhook(hook.id, { enabled: true });
    await counted(0);
    await failing(4);
    await counted(4);
    hook.refuse = undefined;
    await client.updateUser('me', { timezone: 'Europe/Oslo' });
    await hook.until(before + 4 * ATTEMPTS + 1);
    // what happened while it was off is not made up for
    expect(hook.received).toHaveLength(before + 4 * ATTEMPTS + 1);
    expect(hook.heard.at(-1).data.timezone).toBe('Europe/Oslo');
    expect(await enabled()).toBe(true);
  });

  it('is dropped when the webhook is switched off or deleted meanwhile', async () => {
    const org = await app.organization();
    const client = org.client();
    const [off, gone, witness] = [await hookOf(org), await hookOf(org), await hookOf(org)];
    off.refuse = () => client.updateWebhook(off.id, { enabled: false }).then(() => 500);
    gone.refuse = () => client.deleteWebhook(gone.id).then(() => 500);
    await client.updateUser('me', { timezone: 'Asia/Seoul' });
    await Promise.all([off.until(1), gone.until(1)]);
    await client.updateUser('me', { timezone: 'Asia/Tokyo' });
    await witness.until(2);
    const waiting = 'SELECT 1 FROM deliveries WHERE target_id = ANY($1::text[])';
    await eventually(
      async () => (await app.nest.get(Db).readText(waiting, [[off.id, gone.id]])).length === 0,
      'nothing waits',
    );
    expect([off.answers, gone.answers]).toEqual([[500], [500]]);
  });
});
