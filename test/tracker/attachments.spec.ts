import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { notFound, refusal, unknownReference } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';

const UNKNOWN = '5b1d7c1e-6a0b-4a57-9d0a-0c2a9a3f6f10';
const PAGE = 'https://desk.example/tickets/1';

describe('attachments', () => {
  const app = useApp();

  it('are one for a url of an issue: another creation changes what it gives of that one', async () => {
    const org = await app.organization();
    const issue = await builds(org).issue({ title: 'Fix' });
    const client = org.client();
    const first = await client.createAttachment({
      issueId: issue.identifier,
      url: PAGE,
      title: 'Ticket',
      subtitle: 'open',
      iconUrl: 'https://desk.example/icon.png',
      commentBody: 'From the desk',
    });
    const attachment = (await first.attachment)!;
    expect(attachment).toMatchObject({
      url: PAGE,
      title: 'Ticket',
      subtitle: 'open',
      sourceType: 'unknown',
      source: { imageUrl: 'https://desk.example/icon.png' },
      metadata: {},
      groupBySource: false,
    });
    expect((await attachment.creator)?.id).toBe(org.user.id);
    expect((await (await client.issue(issue.id)).comments()).nodes.map(({ body }) => body)).toEqual(['From the desk']);
    const again = await client.createAttachment({ issueId: issue.id, url: PAGE, title: 'Closed', metadata: { n: 1 } });
    expect(again.attachmentId).toBe(first.attachmentId);
    expect((await (await client.issue(issue.id)).attachments()).nodes).toMatchObject([
      { title: 'Closed', subtitle: 'open', metadata: { n: 1 }, source: { imageUrl: 'https://desk.example/icon.png' } },
    ]);
    await client.updateAttachment(attachment.id, { title: 'Updated', subtitle: null });
    expect(await client.attachment(attachment.id)).toMatchObject({ title: 'Updated', subtitle: undefined });
    expect((await client.attachmentIssue(attachment.id)).id).toBe(issue.id);
    expect((await client.attachmentsForURL(PAGE)).nodes.map(({ id }) => id)).toEqual([attachment.id]);
    expect((await client.attachmentsForURL(`${PAGE}0`)).nodes).toEqual([]);
    await client.deleteAttachment(attachment.id);
    expect(await refusal(client.attachment(attachment.id))).toEqual(notFound('Attachment'));
    const kinds = (await org.recorded()).map(({ kind }) => kind).filter((kind) => kind.startsWith('attachment'));
    expect(kinds).toEqual(['attachment.created', 'attachment.updated', 'attachment.updated', 'attachment.removed']);
  });

  it('are made of links to known services, whose things they describe', async () => {
    const org = await app.organization();
    const { id } = await builds(org).issue();
    const client = org.client();
    const made = async (link: Promise<{ attachment?: PromiseLike<object> | object }>) => await (await link).attachment;
    expect(await made(client.attachmentLinkGitHubPR(id, 'https://github.com/acme/web/pull/12'))).toMatchObject({
      title: 'acme/web#12',
      sourceType: 'github',
      source: { type: 'github' },
      metadata: { owner: 'acme', repo: 'web', number: 12, status: 'open' },
    });
    expect(
      await made(client.attachmentLinkGitLabMR(id, 3, 'acme/web', 'https://gitlab.com/acme/web/-/merge_requests/3')),
    ).toMatchObject({
      title: 'acme/web!3',
      metadata: { projectPathWithNamespace: 'acme/web', number: 3, status: 'open' },
    });
    const permalink = 'https://acme.slack.com/archives/C0123/p1700000000123456';
    expect(await made(client.attachmentLinkSlack(id, permalink, { syncToCommentThread: true }))).toMatchObject({
      title: 'Message on Slack',
      metadata: { channelId: 'C0123', messageTs: '1700000000.123456', syncToCommentThread: true },
    });
    expect(await made(client.attachmentLinkZendesk(id, '7'))).toMatchObject({
      url: 'https://example.zendesk.com/agent/tickets/7',
      title: 'Ticket 7',
      metadata: { ticketId: '7' },
    });
    expect(await made(client.attachmentLinkIntercom('9', id))).toMatchObject({
      title: 'Conversation 9',
      metadata: { conversationId: '9' },
    });
    expect(await made(client.attachmentLinkFront('cnv_1', id))).toMatchObject({ sourceType: 'front' });
    expect(await made(client.attachmentLinkJiraIssue(id, 'OPS-1'))).toMatchObject({
      url: 'https://example.atlassian.net/browse/OPS-1',
      title: 'OPS-1',
    });
    expect(await made(client.attachmentLinkURL(id, 'https://github.com/acme/web/issues/4'))).toMatchObject({
      sourceType: 'github',
      title: 'acme/web#4',
    });
    expect(await made(client.attachmentLinkURL(id, PAGE, { title: 'Mine' }))).toMatchObject({
      sourceType: 'unknown',
      title: 'Mine',
    });
    // without a title the one that is there stays
    expect(await made(client.attachmentLinkURL(id, PAGE))).toMatchObject({ title: 'Mine' });
    // a default title is cut to 500 characters, none of them half a pair; one that is given is not
    const long = `https://desk.example/${'x'.repeat(478)}`;
    expect(await made(client.attachmentLinkURL(id, `${long}yz`))).toMatchObject({ title: `${long}y` });
    expect(await made(client.attachmentLinkURL(id, `${long}😀`))).toMatchObject({ title: long });
    expect((await refusal(client.attachmentLinkURL(id, PAGE, { title: `${long}yz` })))[1]).toContain('title must be');
    expect((await refusal(client.attachmentLinkGitHubPR(id, 'https://github.com/acme/web/issues/4')))[1]).toContain(
      'url must be that of a GitHub pull request',
    );
    expect((await refusal(client.attachmentLinkURL(id, 'ftp://x')))[1]).toContain('url must be a URL address');
  });

  it('are refused for unknown issues, bad addresses, large metadata and other authors', async () => {
    const org = await app.organization();
    const { id: issueId } = await builds(org).issue();
    const create = (input: object) =>
      refusal(org.client().createAttachment({ issueId, url: PAGE, title: 'T', ...input }));
    expect(await create({ issueId: UNKNOWN })).toEqual(unknownReference('issueId'));
    expect((await create({ url: 'mailto:a@b.example' }))[1]).toContain('url must be a URL address');
    expect((await create({ title: ' ' }))[1]).toContain('title should not be empty');
    expect((await create({ metadata: { text: 'x'.repeat(33_000) } }))[1]).toContain('metadata must be no more than');
    expect((await create({ createAsUser: 'Mark' }))[1]).toContain('createAsUser is only available in actor=app mode');
  });

  it('are found by filters, also of their issues, by those who see the issue', async () => {
    const org = await app.organization();
    const make = builds(org);
    const bob = await org.member();
    const hidden = await make.issue({ title: 'Hidden', team: await org.newTeam({ private: true }) });
    const issue = await make.issue({ title: 'Open' });
    const bare = await make.issue({ title: 'Bare' });
    const client = org.client();
    for (const { id } of [hidden, issue]) await client.attachmentLinkURL(id, 'https://github.com/acme/web/pull/1');
    const filter = { sourceType: { eq: 'github' }, creator: { id: { eq: org.user.id } } };
    expect((await client.attachments({ filter })).nodes).toHaveLength(2);
    expect((await bob.client().attachments({ filter })).nodes).toHaveLength(1);
    expect((await bob.client().attachmentsForURL('https://github.com/acme/web/pull/1')).nodes).toHaveLength(1);
    const titles = async (attachments: object) =>
      (await client.issues({ filter: { attachments } })).nodes.map(({ title }) => title).sort();
    expect(await titles({ some: { title: { contains: 'web#1' } } })).toEqual(['Hidden', 'Open']);
    expect(await titles({ length: { eq: 0 } })).toEqual([bare.title]);
  });

  it('make one row of concurrent creations of one url', async () => {
    const org = await app.organization();
    const { id: issueId } = await builds(org).issue();
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, n) => org.client().createAttachment({ issueId, url: PAGE, title: `${n}` })),
    );
    expect(new Set(made.map(({ attachmentId }) => attachmentId)).size).toBe(1);
  });

  it('are told with the keys of the payload that webhooks have', async () => {
    const org = await app.organization();
    const issue = await builds(org).issue();
    const client = org.client();
    await client.createAttachment({ issueId: issue.id, url: PAGE, title: 'One' });
    await client.createAttachment({ issueId: issue.id, url: PAGE, title: 'Two' });
    const [created] = await org.recorded('attachment.created');
    expect(created!.data).toMatchObject({ type: 'Attachment', action: 'create' });
    expect(created!.data['url']).toContain(`/issue/${issue.identifier}`);
    expect(Object.keys(created!.data['data']).sort()).toEqual(
      'createdAt creatorId groupBySource id issueId metadata sourceType title updatedAt url'.split(' '),
    );
    const [updated] = await org.recorded('attachment.updated');
    expect(updated!.data).toMatchObject({ data: { title: 'Two' }, updatedFrom: { title: 'One' } });
  });

  it('are seeded, exported, and listed among the changes of a sandbox', async () => {
    const attachments = [{ title: 'Ticket', url: PAGE, subtitle: 'open', source_type: 'zendesk', metadata: { n: 1 } }];
    const tracker = { teams: [{ key: 'ENG', issues: [{ title: 'One', number: 1, attachments }] }] };
    const { ctl, body } = await makeSandbox(app, { name: 'attached', tracker });
    const exported = (await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body;
    expect(exported.tracker.teams[0].issues).toMatchObject(tracker.teams[0]!.issues);
    const again = await makeSandbox(app, exported);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(exported);
    const key = { authorization: String(body.credentials.api_key) };
    const ask = (query: string) => send(app, 'POST', '/graphql', key, { query });
    const [{ id }] = (await ask('{ attachments { nodes { id } } }')).body.data.attachments.nodes;
    await ask(`mutation { attachmentUpdate(id: "${id}", input: { title: "Done" }) { success } }`);
    const { changed } = (await send(app, 'GET', '/api/sandboxes/self/changes', ctl)).body;
    expect(changed.attachment).toMatchObject([{ id, after: { issue: 'ENG-1', title: 'Done' }, fields: ['title'] }]);
  });
});
