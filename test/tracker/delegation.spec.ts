import { describe, expect, it, onTestFinished } from 'vitest';
import { agentOf } from '../support/agents.js';
import { useApp } from '../support/app.js';
import { closeReceivers } from '../support/receiver.js';

const app = useApp();
closeReceivers();

const SHOWN =
  'query ($id: String!) { issue(id: $id) { assignee { id } delegate { id } subscribers { nodes { id } } } }';

// docs/reference/tracker.md#issue
describe('delegating an issue', () => {
  it('makes the person who delegates it its assignee, unless it has one', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const agent = await agentOf(org, { webhookResourceTypes: ['Issue'] });
    const client = org.client();
    const shown = async (id: string) => {
      const { assignee, delegate, subscribers } = (await org.data(SHOWN, { id })).issue;
      return [assignee?.id, delegate?.id, subscribers.nodes.some((user: { id: string }) => user.id === agent.userId)];
    };
    const made = (await (
      await client.createIssue({ teamId: org.team.id, title: 'a', delegateId: agent.userId })
    ).issue)!;
    expect(await shown(made.id)).toEqual([org.owner.id, agent.userId, true]);
    const bobs = (await (
      await client.createIssue({ teamId: org.team.id, title: 'b', assigneeId: bob.user.id })
    ).issue)!;
    await client.updateIssue(bobs.id, { delegateId: agent.userId });
    expect(await shown(bobs.id)).toEqual([bob.user.id, agent.userId, true]);
    await client.updateIssue(bobs.id, { delegateId: null });
    expect(await shown(bobs.id)).toEqual([bob.user.id, undefined, true]);
    const nobodys = (await (await client.createIssue({ teamId: org.team.id, title: 'c' })).issue)!;
    await client.updateIssue(nobodys.id, { assigneeId: agent.userId });
    expect(await shown(nobodys.id)).toEqual([org.owner.id, agent.userId, true]);
    const history = await org.data(
      'query ($id: String!) { issue(id: $id) { history { nodes { fromDelegate { id } toDelegate { id } toAssignee { id } } } } }',
      { id: nobodys.id },
    );
    expect(history.issue.history.nodes).toEqual([
      { fromDelegate: null, toDelegate: { id: agent.userId }, toAssignee: { id: org.owner.id } },
    ]);
    const user = await client.user(agent.userId);
    expect((await user.delegatedIssues()).nodes.map(({ title }) => title).sort()).toEqual(['a', 'c']);
    const found = await client.issues({ filter: { delegate: { id: { eq: agent.userId } } } });
    expect(found.nodes).toHaveLength(2);
    await agent.end.until((received) => received.length >= 3);
    const { data } = JSON.parse(agent.end.received[0]!.body);
    expect(data).toMatchObject({ delegateId: agent.userId, delegate: { id: agent.userId }, assigneeId: org.owner.id });
  });

  it('is refused for people, for applications that may not be assigned, and for unknown users', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const shy = await agentOf(org, {}, 'write,app:mentionable');
    const bold = await agentOf(org);
    const hidden = await org.newTeam({ private: true });
    const refused = async (delegateId: string, teamId = org.team.id): Promise<string> =>
      (
        await org.error('mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { success } }', {
          input: { teamId, title: 'x', delegateId },
        })
      ).message;
    expect(await refused(bob.user.id)).toBe('user is not assignable');
    expect(await refused(shy.userId)).toBe('user is not assignable');
    expect(await refused(bold.userId, hidden.id)).toBe('user is not assignable');
    expect(await refused(crypto.randomUUID())).toContain('delegateId');
  });
});

describe('snoozing an issue', () => {
  it('shows until when and by whom, to everybody, until the clock has passed it', async () => {
    const org = await app.organization();
    const bob = await org.member();
    onTestFinished(() => app.clock.reset());
    const client = org.client();
    const issue = (await (await client.createIssue({ teamId: org.team.id, title: 'later' })).issue)!;
    const until = new Date(app.clock.now().getTime() + 3_600_000);
    await client.updateIssue(issue.id, { snoozedUntilAt: until });
    const shown = async () => {
      const one = await bob.client().issue(issue.id);
      return [one.snoozedUntilAt?.toISOString(), one.snoozedById];
    };
    const filter = { or: [{ snoozedBy: { id: { eq: org.owner.id } } }, { snoozedUntilAt: { null: false } }] };
    expect(await shown()).toEqual([until.toISOString(), org.owner.id]);
    expect((await client.issues({ filter })).nodes).toHaveLength(1);
    await client.updateIssue(issue.id, { snoozedUntilAt: until, snoozedById: bob.user.id });
    expect(await shown()).toEqual([until.toISOString(), bob.user.id]);
    app.clock.advance(3_600_000);
    expect(await shown()).toEqual([undefined, undefined]);
    expect((await client.issues({ filter })).nodes).toHaveLength(0);
    await client.updateIssue(issue.id, { snoozedUntilAt: new Date(app.clock.now().getTime() + 1_000) });
    await client.updateIssue(issue.id, { snoozedUntilAt: null });
    expect(await shown()).toEqual([undefined, undefined]);
  });
});
