import { type Issue, LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal } from '../support/refusal.js';
import { builds } from '../support/tracker-issues.js';

const { Blocks, Duplicate } = LinearDocument.IssueRelationType;
const TICKET = 'https://acme.zendesk.com/agent/tickets/17';

/** What integrations of support desks ask, with the client that they use. */
describe('a support desk', () => {
  const app = useApp();

  it('links its tickets, polls what became of the issues, follows duplicates, and unlinks', async () => {
    const org = await app.organization();
    const make = builds(org);
    const client = org.client();
    const [first, second, blocker] = [
      await make.issue({ title: 'Login fails' }),
      await make.issue({ title: 'Cannot log in' }),
      await make.issue({ title: 'Upgrade the library' }),
    ];
    const linked = await client.attachmentLinkURL(first.id, TICKET, { title: 'Ticket 17' });
    const again = await client.attachmentLinkURL(first.id, TICKET);
    expect(again.attachmentId).toBe(linked.attachmentId);
    expect(await linked.attachment).toMatchObject({
      title: 'Ticket 17',
      url: TICKET,
      sourceType: 'zendesk',
      metadata: { ticketId: '17' },
    });
    await client.createIssueRelation({ issueId: blocker.id, relatedIssueId: first.id, type: Blocks });
    await client.createIssueRelation({ issueId: second.id, relatedIssueId: first.id, type: Duplicate });

    const poll = async (since: Date): Promise<Issue[]> => {
      const { nodes } = await client.issues({
        filter: { attachments: { some: { sourceType: { eq: 'zendesk' } } }, updatedAt: { gt: since } },
        orderBy: LinearDocument.PaginationOrderBy.UpdatedAt,
      });
      return nodes;
    };
    const [polled] = await poll(new Date(0));
    expect(polled?.id).toBe(first.id);
    const around = await Promise.all(
      (await polled!.inverseRelations()).nodes.map(async (relation) => [relation.type, (await relation.issue)?.title]),
    );
    expect(around.toSorted()).toEqual([
      ['blocks', 'Upgrade the library'],
      ['duplicate', 'Cannot log in'],
    ]);
    expect((await polled!.relations()).nodes).toEqual([]);
    expect(await poll(polled!.updatedAt)).toEqual([]);
    const done = (await (await polled!.team)!.states({ filter: { type: { eq: 'completed' } } })).nodes[0]!;
    await client.updateIssue(first.id, { stateId: done.id });
    const [changed] = await poll(polled!.updatedAt);
    expect((await changed?.state)?.type).toBe('completed');

    const [attachment] = (await client.attachmentsForURL(TICKET)).nodes;
    expect((await attachment?.issue)?.identifier).toBe(first.identifier);
    const gone = await client.deleteAttachment(attachment!.id);
    expect(gone).toMatchObject({ success: true, entityId: attachment!.id });
    expect((await client.attachmentsForURL(TICKET)).nodes).toEqual([]);
    expect(await poll(new Date(0))).toEqual([]);
    expect(await refusal(client.deleteAttachment(attachment!.id))).toEqual(notFound('Attachment'));
  });

  it('searches for issues that a ticket may be about, also by what was said about them', async () => {
    const org = await app.organization();
    const make = builds(org);
    const client = org.client();
    const named = await make.issue({ title: 'Login fails with a timeout' });
    const described = await make.issue({ title: 'Slow pages', description: 'Also the login.' });
    const discussed = await make.issue({ title: 'Session is lost' });
    await make.comment(discussed, { body: 'Happens after a login.' });
    await make.issue({ title: 'Colours' });
    const found = async (variables: object): Promise<string[]> =>
      (await client.searchIssues('login', variables)).nodes.map(({ id }) => id);
    expect(await found({})).toEqual([named.id, described.id]);
    expect(await found({ includeComments: true })).toEqual([named.id, discussed.id, described.id]);
    expect(await found({ first: 1 })).toEqual([named.id]);
    expect(await found({ filter: { description: { null: false } } })).toEqual([described.id]);
    expect((await client.searchIssues('login', { includeComments: true })).totalCount).toBe(3);
  });
});
