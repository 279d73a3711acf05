import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { invalidArgument, refusal, unknownReference } from '../support/refusal.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';

describe('teamCreate', () => {
  const app = useApp();

  it('creates a team with default settings', async () => {
    const org = await app.organization();
    const payload = await org.client().createTeam({ name: 'Design Guild' });
    expect(payload).toMatchObject({ success: true, lastSyncId: 1 });
    const team = (await payload.team)!;
    expect(team).toMatchObject({
      key: 'DES',
      name: 'Design Guild',
      displayName: 'Design Guild',
      color: expect.stringMatching(/^#[0-9a-f]{6}$/),
      private: false,
      visibility: 'public',
      timezone: 'America/Los_Angeles',
      issueCount: 0,
      cyclesEnabled: false,
      cycleDuration: 2,
      cycleStartDay: 1,
      cycleCooldownTime: 0,
      upcomingCycleCount: 2,
      cycleLockToActive: false,
      issueEstimationType: 'notUsed',
      issueEstimationAllowZero: false,
      defaultIssueEstimate: 1,
      autoArchivePeriod: 6,
      setIssueSortOrderOnStateChange: 'default',
      groupIssueHistory: true,
      cycleCalenderUrl: `${app.baseUrl}/${org.urlKey}/team/DES/cycles.ics`,
    });
    for (const absent of ['description', 'icon', 'archivedAt', 'autoClosePeriod', 'activeCycle'] as const) {
      expect(team[absent], absent).toBeUndefined();
    }
    expect(await (await team.defaultIssueState)!).toMatchObject({ name: 'Backlog', type: 'backlog' });
    expect((await team.organization).id).toBe(org.id);
    expect((await org.client().team('des')).id).toBe(team.id);
  });

  it('creates six states, a millisecond apart', async () => {
    const org = await app.organization();
    const team = (await (await org.client().createTeam({ name: 'Design' })).team)!;
    const states = (await team.states()).nodes.toReversed();
    expect(states.map(({ name, type, position, color }) => [name, type, position, color])).toEqual([
      ['Backlog', 'backlog', 0, '#bec2c8'],
      ['Todo', 'unstarted', 1, '#e2e2e2'],
      ['In Progress', 'started', 2, '#f2c94c'],
      ['Done', 'completed', 3, '#5e6ad2'],
      ['Canceled', 'canceled', 4, '#95a2b3'],
      ['Duplicate', 'duplicate', 5, '#95a2b3'],
    ]);
    const first = states[0]!.createdAt.getTime();
    expect(states.map(({ createdAt }) => createdAt.getTime() - first)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('adds every active user to a public team, the creator as owner, and only the creator to a private one', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const open = (await (await bob.client().createTeam({ name: 'Open' })).team)!;
    const members = (await open.memberships()).nodes;
    const owners = members.map(({ owner, userId }) => [userId, owner]);
    expect(owners).toEqual(
      expect.arrayContaining([
        [bob.user.id, true],
        [org.owner.id, false],
      ]),
    );
    expect(members).toHaveLength(2);

    const secret = (await (await bob.client().createTeam({ name: 'Secret', private: true })).team)!;
    expect(secret).toMatchObject({ private: true, visibility: 'private' });
    expect((await secret.members()).nodes.map(({ id }) => id)).toEqual([bob.user.id]);
    expect(await (await secret.viewerMembership)!).toMatchObject({ owner: true });
    expect(await refusal(org.client().team(secret.id))).toEqual([
      'InvalidInputLinearError',
      'Entity not found: Team - Could not find referenced Team.',
    ]);
    expect((await org.client().teams()).nodes.map(({ id }) => id)).not.toContain(secret.id);
  });

  it('derives a free key from the name', async () => {
    const org = await app.organization();
    const keyOf = async (name: string) => (await (await org.client().createTeam({ name })).team)!.key;
    expect(await keyOf('Enzo')).toBe('ENZ');
    expect(await keyOf('Engine room')).toBe('ENG2');
    expect(await keyOf('e-n-g')).toBe('ENG3');
    expect(await keyOf('é 42')).toBe('TEAM');
    expect(await keyOf('42')).toBe('TEAM2');
    expect(await keyOf('Zx')).toBe('ZX');
  });

  it('gives different keys to teams of the same name created concurrently', async () => {
    const org = await app.organization();
    const payloads = await Promise.all(
      Array.from({ length: 6 }, () =>
        org.data('mutation { teamCreate(input: { name: "Ops" }) { team { key } lastSyncId } }'),
      ),
    );
    const teams = payloads.map(({ teamCreate }) => teamCreate);
    expect(teams.map(({ team }) => team.key).toSorted()).toEqual(['OPS', 'OPS2', 'OPS3', 'OPS4', 'OPS5', 'OPS6']);
    expect(teams.map(({ lastSyncId }) => lastSyncId).toSorted()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('gives a key to one of several concurrent calls', async () => {
    const org = await app.organization();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        org.graphql('mutation { teamCreate(input: { name: "A", key: "dup" }) { success } }'),
      ),
    );
    const refused = answers.flatMap(({ body }) => body.errors ?? []);
    expect(refused).toHaveLength(4);
    expect(refused[0]).toMatchObject({
      message: 'duplicate team key',
      extensions: {
        type: 'invalid input',
        code: 'INPUT_ERROR',
        userPresentableMessage: 'The team key "DUP" is already in use.',
      },
    });
  });

  it('refuses the key of an archived team', async () => {
    const org = await app.organization();
    const client = org.client();
    await (await (await client.createTeam({ name: 'Old', key: 'OLD' })).team)!.delete();
    expect(await refusal(client.createTeam({ name: 'New', key: 'old' }))).toEqual([
      'InvalidInputLinearError',
      'Duplicate team key - The team key "OLD" is already in use.',
    ]);
    expect((await (await client.createTeam({ name: 'Old' })).team)!.key).toBe('OLD2');
  });

  it('copies settings, which given ones override', async () => {
    const org = await app.organization();
    const client = org.client();
    const from = await client.createTeam({
      name: 'From',
      description: 'Theirs',
      timezone: 'Europe/London',
      issueEstimationType: 'fibonacci',
      cycleDuration: 3,
      autoClosePeriod: 4,
    });
    const team = (await (
      await client.createTeam({ name: 'To', cycleDuration: 1 }, { copySettingsFromTeamId: from.teamId! })
    ).team)!;
    expect(team).toMatchObject({
      key: 'TO',
      timezone: 'Europe/London',
      issueEstimationType: 'fibonacci',
      cycleDuration: 1,
      autoClosePeriod: 4,
    });
    expect(team.description).toBeUndefined();
    expect(await refusal(client.createTeam({ name: 'X' }, { copySettingsFromTeamId: UNKNOWN }))).toEqual(
      unknownReference('copySettingsFromTeamId'),
    );
    const elsewhere = await app.organization();
    expect(await refusal(client.createTeam({ name: 'X' }, { copySettingsFromTeamId: elsewhere.team.id }))).toEqual(
      unknownReference('copySettingsFromTeamId'),
    );
    expect(await refusal(client.createTeam({ name: 'X' }, { copySettingsFromTeamId: 'ENG' }))).toEqual(
      invalidArgument('copySettingsFromTeamId must be a UUID.'),
    );
  });

  it('accepts a given id once', async () => {
    const org = await app.organization();
    const client = org.client();
    const id = crypto.randomUUID();
    expect((await client.createTeam({ name: 'Mine', id: id.toUpperCase() })).teamId).toBe(id);
    expect(await refusal(client.createTeam({ name: 'Again', id }))).toEqual([
      'InvalidInputLinearError',
      `Conflict on insert of Team - Entity Team with id ${id} already exists.`,
    ]);
    expect((await client.createTeam({ name: 'Next' })).lastSyncId).toBe(2);
  });

  it.each([
    [{ name: ' ' }, 'name should not be empty.'],
    [{ name: 'x'.repeat(81) }, 'name must be shorter than or equal to 80 characters.'],
    [{ name: 'A', key: '1A' }, 'key must match /^[A-Z][A-Z0-9]{0,6}$/ regular expression.'],
    [{ name: 'A', key: 'ABCDEFGH' }, 'key must match /^[A-Z][A-Z0-9]{0,6}$/ regular expression.'],
    [{ name: 'A', color: 'red' }, 'color must match /^#[0-9a-fA-F]{6}$/ regular expression.'],
    [{ name: 'A', id: 'mine' }, 'id must be a UUID.'],
    [{ name: 'A', cycleDuration: 9 }, 'cycleDuration must not be greater than 8.'],
    [{ name: 'A', cycleStartDay: 7 }, 'cycleStartDay must not be greater than 6.'],
    [{ name: 'A', cycleCooldownTime: 4 }, 'cycleCooldownTime must not be greater than 3.'],
    [{ name: 'A', upcomingCycleCount: 11 }, 'upcomingCycleCount must not be greater than 10.'],
    [
      { name: 'A', issueEstimationType: 'points' },
      'issueEstimationType must be one of the following values: notUsed, exponential, fibonacci, linear, tShirt.',
    ],
    [
      { name: 'A', setIssueSortOrderOnStateChange: 'middle' },
      'setIssueSortOrderOnStateChange must be one of the following values: default, first, last.',
    ],
    [{ name: 'A', autoCloseStateId: 'DEV' }, 'autoCloseStateId must be a UUID.'],
  ])('refuses %j', async (input, sentence) => {
    const org = await app.organization();
    expect(await refusal(org.client().createTeam(input))).toEqual(invalidArgument(sentence));
    expect(await org.recorded()).toEqual([]);
  });

  it('refuses default states, since a new team has none of its own yet', async () => {
    const org = await app.organization();
    const client = org.client();
    const [state] = (await (await client.team('ENG')).states()).nodes;
    expect(await refusal(client.createTeam({ name: 'A', autoCloseStateId: UNKNOWN }))).toEqual(
      unknownReference('autoCloseStateId'),
    );
    expect(await refusal(client.createTeam({ name: 'A', autoCloseStateId: state!.id }))).toEqual([
      'InvalidInputLinearError',
      `AutoCloseStateId for incorrect team - The state "${state!.name}" does not belong to the team.`,
    ]);
  });

  it('records an event for the team only', async () => {
    const org = await app.organization();
    const team = (await (await org.client().createTeam({ name: 'Design', description: 'Shapes' })).team)!;
    const events = await org.recorded();
    expect(events).toEqual([
      {
        kind: 'team.created',
        room: `org:${org.id}`,
        syncId: 1,
        data: {
          action: 'create',
          actor: expect.objectContaining({ id: org.owner.id, type: 'user' }),
          createdAt: team.createdAt.toISOString(),
          data: {
            id: team.id,
            key: 'DES',
            name: 'Design',
            description: 'Shapes',
            color: team.color,
            private: false,
            createdAt: team.createdAt.toISOString(),
            updatedAt: team.createdAt.toISOString(),
          },
          url: `${app.baseUrl}/${org.urlKey}/team/DES`,
          type: 'Team',
          organizationId: org.id,
        },
      },
    ]);
    const secret = await org.client().createTeam({ name: 'Secret', private: true });
    expect((await org.recorded()).at(-1)?.room).toBe(`org:${org.id}/teams/${secret.teamId}`);
  });
});
