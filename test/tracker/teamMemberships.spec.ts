import { describe, expect, it } from 'vitest';
import { isFiring } from '../../src/tracker/events/tracker-events.js';
import { useApp } from '../support/app.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';

const anId = '11111111-1111-4111-8111-111111111111';
const notTeamOwner = (key: string): [string, string] => [
  'ForbiddenLinearError',
  `Forbidden - You need to be an admin or an owner of the team ${key} to manage it.`,
];

// docs/reference/tracker.md#teammembership
describe('team memberships', () => {
  const app = useApp();

  it('are ended and begun again by oneself in a public team, once', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const client = bob.client();
    const own = (await (await client.team(org.team.id)).viewerMembership)!;
    await client.deleteTeamMembership(own.id);
    expect(await (await client.team(org.team.id)).viewerMembership).toBeUndefined();
    expect(await refusal(client.teamMembership(own.id))).toEqual(notFound('TeamMembership'));
    const input = { teamId: org.team.id, userId: bob.user.id, sortOrder: 3 };
    const made = (await (await client.createTeamMembership(input)).teamMembership)!;
    expect([made.owner, made.sortOrder, (await made.team)?.id, (await made.user)?.id]).toEqual([
      false,
      3,
      org.team.id,
      bob.user.id,
    ]);
    const [errorClass, message] = await refusal(client.createTeamMembership(input));
    expect([errorClass, message.toLowerCase()]).toEqual([
      'InvalidInputLinearError',
      expect.stringContaining('duplicate team membership'),
    ]);
    await client.updateTeamMembership(made.id, { sortOrder: 7 });
    expect((await client.teamMembership(made.id)).sortOrder).toBe(7);
    expect(await refusal(org.client().updateTeamMembership(made.id, { sortOrder: 1 }))).toEqual([
      'ForbiddenLinearError',
      'Forbidden - You can only sort your own teams.',
    ]);
    const kinds = ['created', 'updated', 'removed'].map(
      async (kind) => (await org.recorded(`teamMembership.${kind}`)).length,
    );
    expect(await Promise.all(kinds)).toEqual([1, 1, 1]);
    expect(isFiring('TeamMembership')).toBe(false);
  });

  it('of others, and of a private team, are for its owners and admins', async () => {
    const org = await app.organization();
    const [bob, carol] = [await org.member(), await org.member()];
    const bobs = (await (await bob.client().createTeam({ name: 'Secret', key: 'SEC', private: true })).team)!;
    const join = (of: typeof bob, userId: string, teamId = bobs.id) =>
      of.client().createTeamMembership({ teamId, userId });
    // the team is not there for the others
    expect(await refusal(join(carol, carol.user.id))).toEqual(unknownReference('teamId'));
    expect(await refusal(join(bob, anId))).toEqual(unknownReference('userId'));
    const { teamMembershipId } = await join(bob, carol.user.id);
    expect((await carol.client().team(bobs.id)).name).toBe('Secret');
    const ownersOwn = (await (await bob.client().team(bobs.id)).viewerMembership)!;
    expect(await refusal(carol.client().deleteTeamMembership(ownersOwn.id))).toEqual(notTeamOwner('SEC'));
    const mine = (await (await carol.client().team(org.team.id)).viewerMembership)!;
    expect(await refusal(bob.client().deleteTeamMembership(mine.id))).toEqual(notTeamOwner('ENG'));
    await org.client().deleteTeamMembership(mine.id);
    expect(await refusal(join(bob, carol.user.id, org.team.id))).toEqual(notTeamOwner('ENG'));
    await org.client().createTeamMembership({ teamId: org.team.id, userId: carol.user.id });
    // who leaves a private team has no issue there any more
    const issue = (await (
      await bob.client().createIssue({ teamId: bobs.id, title: 'Hidden', assigneeId: carol.user.id })
    ).issue)!;
    await bob.client().deleteTeamMembership(teamMembershipId!);
    expect(await refusal(carol.client().issue(issue.id))).toEqual(notFound('Issue'));
    expect(await (await bob.client().issue(issue.id)).assignee).toBeUndefined();
  });

  it('keep issues of a public team assigned when they end', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const input = { teamId: org.team.id, title: 'Kept', assigneeId: bob.user.id };
    const issue = (await (await org.client().createIssue(input)).issue)!;
    const own = (await (await bob.client().team(org.team.id)).viewerMembership)!;
    await bob.client().deleteTeamMembership(own.id);
    expect((await (await org.client().issue(issue.id)).assignee)?.id).toBe(bob.user.id);
  });

  it('come with seed documents, which export says again', async () => {
    const teams = [
      { key: 'ENG', name: 'Engineering', private: true, members: ['alice', 'bob'] },
      { key: 'OPS', name: 'Ops' },
    ];
    const { ctl } = await makeSandbox(app, { users: ['alice', 'bob', 'carol'], tracker: { teams } });
    const { body } = await send(app, 'GET', '/api/sandboxes/self/seed', ctl);
    expect(body.tracker.teams).toMatchObject(teams);
    expect(body.tracker.teams[1].members).toBeUndefined();
    const refused = await send(app, 'POST', '/api/sandboxes/self/seed', ctl, {
      tracker: { teams: [{ key: 'ENG', members: ['nobody'] }] },
    });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('tracker.teams[0].members[0]'),
    ]);
  });
});

// docs/reference/tracker.md#user
describe('userChangeRole', () => {
  const app = useApp();

  it('is for admins, and takes every role but that of an application', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const change = (role: string, of = org, id = bob.user.id) =>
      of.data(
        'mutation ($id: String!, $role: UserRoleType!) { userChangeRole(id: $id, role: $role) { user { admin owner guest } } }',
        {
          id,
          role,
        },
      );
    const after = async (role: string) => (await change(role)).userChangeRole.user;
    expect(await after('admin')).toEqual({ admin: true, owner: false, guest: false });
    expect(await after('owner')).toEqual({ admin: true, owner: true, guest: false });
    expect(await after('guest')).toEqual({ admin: false, owner: false, guest: true });
    expect(await after('user')).toEqual({ admin: false, owner: false, guest: false });
    const query = 'mutation ($id: String!, $role: UserRoleType!) { userChangeRole(id: $id, role: $role) { success } }';
    const refused = async (of: { graphql: typeof org.graphql }, role: string, id = bob.user.id) =>
      (await of.graphql(query, { id, role })).body.errors?.[0]?.extensions['userPresentableMessage'];
    expect(await refused(bob, 'owner')).toBe('You need to be an admin to change roles.');
    expect(await refused(org, 'app')).toBe('An application is given its role by its installation.');
    expect(await refused(org, 'user', org.user.id)).toBe('The last owner of an organization keeps that role.');
    const { type, data } = (await org.recorded('user.updated')).at(-1)!.data as { type: string; data: object };
    expect([type, data]).toEqual(['User', expect.objectContaining({ id: bob.user.id, guest: false })]);
  });

  it('makes a guest, who sees the teams that they are a member of alone', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const other = (await org.client().createTeam({ name: 'Other' })).teamId!;
    const issue = (await (await org.client().createIssue({ teamId: other, title: 'Elsewhere' })).issue)!;
    await org.data(`mutation { userChangeRole(id: "${bob.user.id}", role: guest) { success } }`);
    expect((await bob.client().issue(issue.id)).title).toBe('Elsewhere');
    const theirs = (await (await bob.client().team(other)).viewerMembership)!;
    await org.client().deleteTeamMembership(theirs.id);
    expect(await refusal(bob.client().team(other))).toEqual(notFound('Team'));
    expect(await refusal(bob.client().issue(issue.id))).toEqual(notFound('Issue'));
    expect((await bob.client().teams()).nodes.map(({ id }) => id)).toEqual([org.team.id]);
    expect(await refusal(bob.client().createTeamMembership({ teamId: other, userId: bob.user.id }))).toEqual(
      unknownReference('teamId'),
    );
    expect((await bob.client().viewer).guest).toBe(true);
  });
});
