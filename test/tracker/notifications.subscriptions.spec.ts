import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { toldTo } from '../support/notifications.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';
import { organizationWithStates } from '../support/tracker-clients.js';
import { builds } from '../support/tracker-issues.js';
import { insertCycle } from '../support/tracker-rows.js';

const app = useApp();
const BOTH = ['issueCreated', 'issueStatusChangedAll'];

/** docs/reference/tracker-notifications.md#subscriptions */
describe('notification subscriptions', () => {
  it('are one of a person and a target, which a second one changes', async () => {
    const org = await app.organization();
    const client = org.client();
    const mine = async () => (await client.notificationSubscriptions()).nodes;
    await client.createNotificationSubscription({
      teamId: org.team.id,
      notificationSubscriptionTypes: ['issueCreated'],
    });
    const [first] = await mine();
    await client.createNotificationSubscription({ teamId: org.team.id, notificationSubscriptionTypes: BOTH });
    const [second, ...others] = await mine();
    expect(others).toEqual([]);
    expect(second).toMatchObject({ id: first!.id, active: true, includeSubInitiativeUpdates: false });
    const { notificationSubscription: shown } = await org.data(
      `query ($id: String!) { notificationSubscription(id: $id) { __typename contextViewType archivedAt subscriber { id } team { key }
         project { id } ... on TeamNotificationSubscription { notificationSubscriptionTypes } } }`,
      { id: first!.id },
    );
    expect(shown).toEqual({
      __typename: 'TeamNotificationSubscription',
      contextViewType: null,
      archivedAt: null,
      subscriber: { id: org.user.id },
      team: { key: 'ENG' },
      project: null,
      notificationSubscriptionTypes: BOTH,
    });
    const concurrent = Array.from({ length: 4 }, () => client.createNotificationSubscription({ userId: org.user.id }));
    await Promise.all(concurrent);
    expect(await mine()).toHaveLength(2);
    await client.updateNotificationSubscription(first!.id, { active: false });
    expect((await client.notificationSubscription(first!.id)).active).toBe(false);
    await client.deleteNotificationSubscription(first!.id);
    expect(await refusal(client.notificationSubscription(first!.id))).toEqual(notFound('NotificationSubscription'));
    const id = crypto.randomUUID();
    await client.createNotificationSubscription({ id, teamId: org.team.id });
    expect((await client.notificationSubscription(id)).id).toBe(id);
  });

  it('name exactly one thing that their owner sees', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const secret = await org.newTeam({ private: true });
    const create = (input: object) => bob.client().createNotificationSubscription(input);
    expect((await refusal(create({})))[1]).toContain('Exactly one of');
    expect((await refusal(create({ teamId: org.team.id, userId: bob.user.id })))[1]).toContain('Exactly one of');
    expect(await refusal(create({ teamId: secret.id }))).toEqual(unknownReference('teamId'));
    expect(await refusal(create({ labelId: crypto.randomUUID() }))).toEqual(unknownReference('labelId'));
  });

  it('tell of new issues and changed states of a team, project, cycle, label and assignee', async () => {
    const { org, client, state } = await organizationWithStates(app);
    const make = builds(org);
    const [project, label, cycle] = [await make.project(), await make.label(), await insertCycle(org)];
    const owner = await org.member();
    const targets = {
      teamId: org.team.id,
      projectId: project.id,
      cycleId: cycle.id,
      labelId: label.id,
      userId: owner.user.id,
    };
    const subscribers = await Promise.all(
      Object.entries(targets).map(async ([target, id]) => {
        const one = await org.member();
        await one.client().createNotificationSubscription({ [target]: id, notificationSubscriptionTypes: BOTH });
        return one;
      }),
    );
    const idle = await org.member();
    await idle.client().createNotificationSubscription({ teamId: org.team.id, notificationSubscriptionTypes: [] });
    const quiet = await org.member();
    await quiet
      .client()
      .createNotificationSubscription({ teamId: org.team.id, notificationSubscriptionTypes: BOTH, active: false });
    await make.issue();
    const issue = await make.issue({
      projectId: project.id,
      cycleId: cycle.id,
      labelIds: [label.id],
      assigneeId: owner.user.id,
    });
    await client.updateIssue(issue.id, { stateId: state('In Progress').id, title: 'Begun' });
    const [ofTeam, ...others] = subscribers;
    expect(await toldTo(ofTeam!)).toEqual(['issueCreated', 'issueCreated', 'issueStatusChangedAll']);
    for (const one of others) expect(await toldTo(one)).toEqual(['issueCreated', 'issueStatusChangedAll']);
    for (const one of [idle, quiet, org]) expect(await toldTo(one)).toEqual([]);
    const [told] = (await ofTeam!.client().notifications({ filter: { subscriptionType: { eq: 'team' } } as never }))
      .nodes;
    expect((told as unknown as { subscriptions: { id: string }[] }).subscriptions.map(({ id }) => id)).toEqual(
      (await ofTeam!.client().notificationSubscriptions()).nodes.map(({ id }) => id),
    );
    // an earlier row wins
    await ofTeam!.client().issueSubscribe(issue.id);
    await client.updateIssue(issue.id, { stateId: state('Done').id });
    expect((await toldTo(ofTeam!)).at(-1)).toBe('issueStatusChanged');
  });

  it('tell of updates of a project and of initiatives, also those below', async () => {
    const org = await app.organization();
    const client = org.client();
    const project = await builds(org).project();
    const initiative = async (name: string) => (await (await client.createInitiative({ name })).initiative)!.id;
    const [above, below] = [await initiative('Above'), await initiative('Below')];
    await client.createInitiativeRelation({ initiativeId: above, relatedInitiativeId: below });
    await client.createInitiativeToProject({ initiativeId: below, projectId: project.id });
    const both = ['projectUpdateCreated', 'initiativeUpdateCreated'];
    const subscriber = async (input: object) => {
      const one = await org.member();
      await one.client().createNotificationSubscription({ notificationSubscriptionTypes: both, ...input });
      return one;
    };
    const ofProject = await subscriber({ projectId: project.id });
    const ofBelow = await subscriber({ initiativeId: below });
    const ofAbove = await subscriber({ initiativeId: above });
    const ofAllBelow = await subscriber({ initiativeId: above, includeSubInitiativeUpdates: true });
    await client.createProjectUpdate({ projectId: project.id, body: 'Late' });
    await client.createInitiativeUpdate({ initiativeId: below, body: 'Late' });
    await client.createInitiativeUpdate({ initiativeId: above, body: 'Late' });
    expect(await toldTo(ofProject)).toEqual(['projectUpdateCreated']);
    expect(await toldTo(ofBelow)).toEqual(['projectUpdateCreated', 'initiativeUpdateCreated']);
    expect(await toldTo(ofAbove)).toEqual(['initiativeUpdateCreated']);
    expect(await toldTo(ofAllBelow)).toEqual([
      'projectUpdateCreated',
      'initiativeUpdateCreated',
      'initiativeUpdateCreated',
    ]);
  });
});
