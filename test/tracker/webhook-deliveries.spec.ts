import { describe, expect, it } from 'vitest';
import { callRest } from '../support/rest-call.js';
import { builds } from '../support/tracker-issues.js';
import { hookOf, TYPES, useDeliveringApp } from '../support/tracker-hooks.js';
import { unique } from '../support/unique.js';

const server = useDeliveringApp();

// oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of bodies freely
const summaryOf = ({ type, action, data }: any): string => `${type} ${action} ${data.title ?? data.body ?? data.name}`;

/** An account without an organization; answers its access token. */
async function signUp(name: string): Promise<string> {
  const { id } = await server.app.workspace();
  const body = { email: `${unique('user')}@acme.example`, password: 'correct horse', name, team_id: id };
  return (await callRest(server.app, 'POST', '/api/auth/signup', { body })).body['accessToken'] as string;
}

describe('deliveries to webhooks', () => {
  it('are sent for every change of the six types, in order, and accepted by the official client', async () => {
    const org = await server.app.organization();
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
    const startsAt = new Date(server.app.clock.nowMs() + 86_400_000);
    const endsAt = new Date(startsAt.getTime() + 86_400_000);
    const cycle = (await (await client.createCycle({ teamId: org.team.id, name: 'One', startsAt, endsAt })).cycle)!;
    await cycle.update({ name: 'Two' });
    await cycle.archive();
    await label.delete();
    const token = await signUp('Sue Storm');
    const joined = await callRest(server.app, 'POST', '/api/organization/join', {
      token,
      body: { urlKey: org.urlKey },
    });
    expect(joined.status, JSON.stringify(joined.body)).toBe(200);
    const user = joined.body['user'] as { id: string };
    await client.suspendUser(user.id);
    // these record events, but no deliveries
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
    expect(hook.heard.map(summaryOf)).toEqual(expected);
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
    // the previous values of what changed; references by id, and null where it was null
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

  it('depend on teams: both of a move, any of a project; private teams only reach their own webhooks', async () => {
    const org = await server.app.organization();
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
    // deliveries of a webhook are in order, so all earlier ones have arrived before these
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
      expect(hook.heard.map(summaryOf), name).toEqual(texts);
    }
    const [{ updatedFrom, data }] = hooks.ops.heard;
    expect(updatedFrom).toMatchObject({ teamId: org.team.id, title: 'in ENG' });
    expect(data).toMatchObject({ teamId: ops.id, identifier: 'OPS-1' });
  });
});
