import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { builds } from '../support/tracker-issues.js';
import type { TrackerCaller } from '../support/tracker.js';

const FIELDS = `id name color description isGroup groupType lastAppliedAt createdAt updatedAt archivedAt team { id }
  parent { id } creator { id } organization { id } inheritedFrom { id } children { nodes { id } } issues { nodes { id } }`;
const CREATE = `mutation($input: IssueLabelCreateInput!, $replace: Boolean) {
  issueLabelCreate(input: $input, replaceTeamLabels: $replace) { success lastSyncId issueLabel { ${FIELDS} } } }`;
const UPDATE = `mutation($id: String!, $input: IssueLabelUpdateInput!, $replace: Boolean) {
  issueLabelUpdate(id: $id, input: $input, replaceTeamLabels: $replace) { lastSyncId issueLabel { ${FIELDS} } } }`;
const DELETE = 'mutation($id: String!) { issueLabelDelete(id: $id) { success lastSyncId entityId } }';

const create = async (on: TrackerCaller, input: Record<string, unknown>, replace?: boolean) =>
  (await on.data(CREATE, { input, replace })).issueLabelCreate.issueLabel;
const refusal = async (on: TrackerCaller, query: string, variables: Record<string, unknown>) => {
  const { message, extensions } = await on.error(query, variables);
  return [message, extensions['userPresentableMessage']];
};

describe('issueLabelCreate', () => {
  const app = useApp();

  it('answers the whole label and records an event', async () => {
    const org = await app.organization();
    const { issueLabelCreate } = await org.data(CREATE, { input: { name: 'Bug' } });
    const { issueLabel: label, ...payload } = issueLabelCreate;
    expect(payload).toEqual({ success: true, lastSyncId: 1 });
    expect(label).toEqual({
      id: expect.any(String),
      name: 'Bug',
      color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      description: null,
      isGroup: false,
      groupType: null,
      lastAppliedAt: null,
      createdAt: expect.any(String),
      updatedAt: label.createdAt,
      archivedAt: null,
      team: null,
      parent: null,
      creator: { id: org.user.id },
      organization: { id: org.id },
      inheritedFrom: null,
      children: { nodes: [] },
      issues: { nodes: [] },
    });
    const [event] = await org.recorded('label.created');
    expect(event).toMatchObject({
      room: `org:${org.id}`,
      data: {
        type: 'IssueLabel',
        url: `${app.baseUrl}/${org.urlKey}/settings/labels/${label.id}`,
        data: {
          id: label.id,
          createdAt: label.createdAt,
          updatedAt: label.createdAt,
          name: 'Bug',
          color: label.color,
          isGroup: false,
          creatorId: org.user.id,
        },
      },
    });
  });

  it('inherits the team of its group, and turns a parent without issues into a group', async () => {
    const org = await app.organization();
    const parent = await create(org, { name: 'Kind', teamId: org.team.id });
    const child = await create(org, { name: 'Bug', parentId: parent.id, color: '#ABCDEF' });
    expect(child).toMatchObject({ team: { id: org.team.id }, parent: { id: parent.id }, color: '#ABCDEF' });
    const client = org.client();
    const group = await client.issueLabel(parent.id);
    expect(group).toMatchObject({ isGroup: true, groupType: 'singleSelect' });
    expect((await group.children()).nodes.map(({ id }) => id)).toEqual([child.id]);
    expect((await (await client.team(org.team.id)).labels()).nodes).toHaveLength(2);
  });

  it('refuses a name taken in the team or the workspace, ignoring case, and answers it as it exists', async () => {
    const org = await app.organization();
    const ops = await org.newTeam({ key: 'OPS' });
    await create(org, { name: 'Bug' });
    await create(org, { name: 'Chore', teamId: org.team.id });
    const inTeam = (teamId: string, name: string) => refusal(org, CREATE, { input: { name, teamId } });
    const taken = (where: string, name: string) => ['duplicate label name', `Label "${name}" already exists ${where}.`];
    expect(await refusal(org, CREATE, { input: { name: 'BUG' } })).toEqual(taken('in the workspace', 'Bug'));
    expect(await inTeam(ops.id, 'bug')).toEqual(taken('in the workspace', 'Bug'));
    expect(await inTeam(org.team.id, 'chore')).toEqual(taken('in team Engineering', 'Chore'));
    expect(await refusal(org, CREATE, { input: { name: 'chore' } })).toEqual(taken('in team Engineering', 'Chore'));
    await create(org, { name: 'chore', teamId: ops.id });
    const both = await Promise.all(
      [ops.id, undefined].map((teamId) => org.graphql(CREATE, { input: { name: 'Race', teamId } })),
    );
    expect(both.filter(({ body }) => body.errors === undefined)).toHaveLength(1);
  });

  it('merges team labels into a workspace label with replaceTeamLabels', async () => {
    const org = await app.organization();
    const make = builds(org);
    const ops = await org.newTeam({ key: 'OPS' });
    const [a, b] = [
      await make.label({ name: 'Bug', teamId: org.team.id }),
      await make.label({ name: 'bug', teamId: ops.id }),
    ];
    const [x, y] = [await make.issue({ labelIds: [a.id] }), await make.issue({ team: ops, labelIds: [b.id] })];
    const label = await create(org, { name: 'Bug' }, true);
    expect(label.issues.nodes.map(({ id }: { id: string }) => id).sort()).toEqual([x.id, y.id].sort());
    expect((await org.data('{ issueLabels { nodes { id } } }')).issueLabels.nodes).toEqual([{ id: label.id }]);
  });

  it('refuses invalid inputs, teams and parents', async () => {
    const org = await app.organization();
    const make = builds(org);
    const foreign = await builds(await app.organization()).label();
    const group = await make.label({ isGroup: true });
    const child = await make.label({ parentId: group.id });
    const used = await make.label();
    await make.issue({ labelIds: [used.id] });
    const gone = await make.archivedTeam();
    const unknown = (field: string) => `Entity not found in validateAccess: ${field}`;
    const cases: [Record<string, unknown>, string][] = [
      [{ name: ' ' }, 'Argument Validation Error'],
      [{ name: 'x'.repeat(81) }, 'Argument Validation Error'],
      [{ color: 'red' }, 'Argument Validation Error'],
      [{ teamId: randomUUID() }, unknown('teamId')],
      [{ teamId: gone.id }, 'team is archived'],
      [{ parentId: randomUUID() }, unknown('parentId')],
      [{ parentId: foreign.id }, unknown('parentId')],
      [{ parentId: child.id }, 'parentId is nested too deep'],
      [{ parentId: group.id, isGroup: true }, 'parentId is nested too deep'],
      [{ parentId: group.id, teamId: org.team.id }, 'parentId in another scope'],
      [{ parentId: used.id }, 'parentId is not a group'],
      [{ id: group.id }, 'conflict on insert of IssueLabel'],
    ];
    for (const [input, message] of cases) {
      expect((await refusal(org, CREATE, { input: { name: 'New', ...input } }))[0], JSON.stringify(input)).toBe(
        message,
      );
    }
  });
});

describe('issueLabelUpdate', () => {
  const app = useApp();

  it('changes, records the previous values, and does nothing for an unchanged label', async () => {
    const org = await app.organization();
    const label = await builds(org).label({ name: 'Bug', description: 'Text' });
    app.clock.advance(5000);
    const update = async (input: Record<string, unknown>) =>
      (await org.data(UPDATE, { id: label.id, input })).issueLabelUpdate;
    expect((await update({ name: 'Bug' })).lastSyncId).toBe(0);
    expect(await update({ name: 'bug', description: null, color: '#000000' })).toMatchObject({
      lastSyncId: 1,
      issueLabel: { name: 'bug', description: null, color: '#000000' },
    });
    const [event] = await org.recorded('label.updated');
    expect(event?.data['updatedFrom']).toEqual({
      updatedAt: label.updatedAt.toISOString(),
      name: 'Bug',
      description: 'Text',
      color: '#eb5757',
    });
  });

  it('refuses taken names, deep nesting, and changing isGroup of labels in use', async () => {
    const org = await app.organization();
    const make = builds(org);
    await make.label({ name: 'Taken' });
    const group = await make.label({ isGroup: true });
    const child = await make.label({ parentId: group.id });
    const used = await make.label();
    await make.issue({ labelIds: [used.id] });
    const cases: [string, Record<string, unknown>, string][] = [
      [child.id, { name: 'taken' }, 'duplicate label name'],
      [child.id, { name: null }, 'Argument Validation Error'],
      [group.id, { isGroup: false }, 'isGroup of a group with labels'],
      [used.id, { isGroup: true }, 'isGroup of an applied label'],
      [used.id, { parentId: used.id }, 'parentId is nested too deep'],
      [group.id, { parentId: used.id }, 'parentId is nested too deep'],
      [used.id, { parentId: child.id }, 'parentId is nested too deep'],
      [randomUUID(), { name: 'X' }, 'Entity not found: IssueLabel'],
    ];
    for (const [id, input, message] of cases) {
      expect((await refusal(org, UPDATE, { id, input }))[0], JSON.stringify(input)).toBe(message);
    }
    expect((await org.data(UPDATE, { id: used.id, input: { parentId: group.id } })).issueLabelUpdate).toMatchObject({
      issueLabel: { parent: { id: group.id } },
    });
    expect((await org.data(UPDATE, { id: used.id, input: { parentId: null } })).issueLabelUpdate).toMatchObject({
      issueLabel: { parent: null },
    });
  });

  it('does not show labels of private teams, and reports their names as taken without naming the team', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const secret = await org.newTeam({ key: 'SEC', name: 'Secret', private: true });
    const label = await make.label({ name: 'Hush', teamId: secret.id });
    expect((await refusal(bob, UPDATE, { id: label.id, input: { name: 'X' } }))[0]).toBe(
      'Entity not found: IssueLabel',
    );
    expect(await refusal(bob, CREATE, { input: { name: 'hush' } })).toEqual([
      'duplicate label name',
      'Label "hush" already exists in the workspace.',
    ]);
    await org.data(UPDATE, { id: label.id, input: { color: '#000000' } });
    expect((await org.recorded('label.updated'))[0]?.room).toBe(`org:${org.id}/teams/${secret.id}`);
  });
});

describe('issueLabelDelete', () => {
  const app = useApp();

  it('removes the label from all issues and keeps the labels of a deleted group', async () => {
    const org = await app.organization();
    const make = builds(org);
    const [a, b] = [await make.label(), await make.label()];
    const issue = await make.issue({ labelIds: [a.id, b.id] });
    app.clock.advance(5000);
    const { issueLabelDelete } = await org.data(DELETE, { id: a.id });
    expect(issueLabelDelete).toEqual({ success: true, lastSyncId: 2, entityId: a.id });
    const client = org.client();
    const after = await client.issue(issue.id);
    expect(after.labelIds).toEqual([b.id]);
    expect(after.updatedAt.getTime()).toBeGreaterThan(issue.updatedAt.getTime());
    const group = await make.label({ isGroup: true });
    const child = await make.label({ parentId: group.id });
    await client.deleteIssueLabel(group.id);
    expect(await (await client.issueLabel(child.id)).parent).toBeUndefined();
    expect((await org.recorded()).map(({ kind }) => kind)).toEqual(['issue.created', 'label.removed', 'label.removed']);
    expect((await org.error(DELETE, { id: a.id })).message).toBe('Entity not found: IssueLabel');
  });

  it('leaves no trace on issues that get the label concurrently', async () => {
    const org = await app.organization();
    const make = builds(org);
    const label = await make.label();
    const answers = await Promise.allSettled([
      ...Array.from({ length: 12 }, () => make.issue({ labelIds: [label.id] })),
      org.data(DELETE, { id: label.id }),
    ]);
    expect(answers.at(-1)?.status).toBe('fulfilled');
    const { issues } = await org.data('{ issues { nodes { labelIds } } }');
    expect(issues.nodes.flatMap(({ labelIds }: { labelIds: string[] }) => labelIds)).toEqual([]);
  });
});
