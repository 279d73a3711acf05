import { LinearDocument } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { User } from '../../src/tracker/store/user.entity.js';
import { useApp } from '../support/app.js';
import { onPostgres } from '../support/databases.js';
import { lockRow, overlap } from '../support/overlap.js';
import { notFound, refusal } from '../support/refusal.js';
import { makeSandbox, send } from '../support/sandbox-routes.js';
import { builds } from '../support/tracker-issues.js';

const up = { order: LinearDocument.PaginationSortOrder.Ascending };

describe('customers', () => {
  const app = useApp();

  it('have a status and a tier, which cannot be deleted while they are in use', async () => {
    const org = await app.organization();
    const client = org.client();
    const names = async () => (await client.customerStatuses()).nodes.map(({ name }) => name);
    expect(await names()).toEqual(['Active', 'Prospect', 'Churned']);
    expect((await client.customerTiers()).nodes).toEqual([]);
    const trial = (await (
      await client.createCustomerStatus({ displayName: 'Trial', color: '#112233', position: 0.5 })
    ).status)!;
    expect(trial).toMatchObject({ name: 'Trial', position: 0.5 });
    expect(await names()).toEqual(['Active', 'Trial', 'Prospect', 'Churned']);
    await client.updateCustomerStatus(trial.id, { position: 9 });
    expect(await names()).toEqual(['Active', 'Prospect', 'Churned', 'Trial']);
    const gold = (await (await client.createCustomerTier({ displayName: 'Gold', color: '#ffaa00' })).tier)!;

    const acme = (await (await client.createCustomer({ name: 'Acme', tierId: gold.id })).customer)!;
    expect((await acme.status)?.name).toBe('Active');
    expect(acme.url).toMatch(/\/customer\/acme-[0-9a-f]{12}$/);
    expect((await client.customer(acme.slugId)).id).toBe(acme.id);
    await client.updateCustomer(acme.id, { statusId: trial.id, size: 12, revenue: 500 });
    expect((await refusal(client.deleteCustomerTier(gold.id)))[1]).toContain('in use');
    expect((await refusal(client.deleteCustomerStatus(trial.id)))[1]).toContain('in use');
    const found = async (filter: object) => (await client.customers({ filter })).nodes.map(({ name }) => name);
    expect(await found({ status: { name: { eq: 'Trial' } }, tier: { displayName: { eq: 'Gold' } } })).toEqual(['Acme']);
    expect(await found({ size: { gt: 12 } })).toEqual([]);
    await client.deleteCustomer(acme.id);
    expect((await client.deleteCustomerTier(gold.id)).success).toBe(true);
    expect((await client.deleteCustomerStatus(trial.id)).success).toBe(true);
    expect((await refusal(client.createCustomerStatus({ displayName: 'x', color: 'red' })))[1]).toContain(
      'color must match',
    );
  });

  it.skipIf(onPostgres !== '')(`keep a status that is deleted while they get it${onPostgres}`, async () => {
    const org = await app.organization();
    const owner = (await org.member()).user;
    const client = org.client();
    const { statusId } = await client.createCustomerStatus({ displayName: 'Trial', color: '#112233' });
    const input = { name: 'Acme', ownerId: owner.id, statusId: statusId! };
    const [made, refused] = await overlap(
      app.store.dataSource,
      (entities) => lockRow(entities, User, { id: owner.id }),
      async () => (await client.createCustomer(input)).customerId!,
      () => refusal(client.deleteCustomerStatus(statusId!)),
    );
    expect(refused[1]).toContain('the status is in use');
    expect((await client.customer(made)).name).toBe('Acme');
  });

  it('are found by domain, upserted and merged, with one customer for a domain', async () => {
    const org = await app.organization();
    const client = org.client();
    const create = async (input: { name: string; domains?: string[]; externalIds?: string[] }) =>
      (await (
        await client.createCustomer(input)
      ).customer)!;
    const acme = await create({ name: 'Acme', domains: ['ACME.example', 'acme.example'], externalIds: ['crm-1'] });
    expect(acme.domains).toEqual(['acme.example']);
    expect((await refusal(create({ name: 'Other', domains: ['Acme.example'] })))[1]).toContain(
      'The domain "acme.example" is already in use',
    );
    const found = async (filter: object) => (await client.customers({ filter })).nodes.map(({ name }) => name);
    expect(await found({ domains: { some: { endsWith: '.example' } } })).toEqual(['Acme']);
    expect(await found({ domains: { every: { eq: 'else.example' } } })).toEqual([]);
    expect(await found({ externalIds: { length: { eq: 1 } } })).toEqual(['Acme']);

    const upsert = async (input: LinearDocument.CustomerUpsertInput) =>
      (await (
        await client.customerUpsert(input)
      ).customer)!;
    const same = await upsert({ externalId: 'crm-1', domains: ['acme.test'], tierName: 'Gold' });
    expect(same).toMatchObject({ id: acme.id, name: 'Acme', domains: ['acme.example', 'acme.test'] });
    expect((await same.tier)?.displayName).toBe('Gold');
    expect((await upsert({ domains: ['ACME.test'], externalId: 'crm-2', name: 'Acme Inc' })).externalIds).toEqual([
      'crm-1',
      'crm-2',
    ]);
    const other = await upsert({ name: 'Other', externalId: 'crm-9', tierName: 'Gold' });
    expect(other.tierId).toBe(same.tierId);
    expect((await client.customerTiers()).nodes).toHaveLength(1);
    expect((await refusal(client.customerUpsert({ externalId: 'crm-99' })))[1]).toContain('name should not be empty');
    const tied = await Promise.allSettled(
      [1, 2].map(() => client.customerUpsert({ name: 'Twin', externalId: 'twin' })),
    );
    expect(tied.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(await found({ name: { eq: 'Twin' } })).toHaveLength(1);

    await client.createCustomerNeed({ customerId: other.id, body: 'More' });
    const merged = (await (await client.customerMerge(other.id, acme.id)).customer)!;
    expect(merged).toMatchObject({ id: acme.id, externalIds: ['crm-1', 'crm-2', 'crm-9'], approximateNeedCount: 1 });
    expect(merged.needs.map(({ body }) => body)).toEqual(['More']);
    expect(await refusal(client.customer(other.id))).toEqual(notFound('Customer'));
    expect((await refusal(client.customerMerge(acme.id, acme.id)))[1]).toContain('merged into itself');
    expect((await client.organization).customerCount).toBe(2);
    const kinds = (await org.recorded()).map(({ kind }) => kind).filter((kind) => kind.startsWith('customer.'));
    expect(kinds.slice(-2)).toEqual(['customer.removed', 'customer.updated']);
    const [created] = await org.recorded('customer.created');
    expect(created!.data).toMatchObject({
      type: 'Customer',
      data: { name: 'Acme', domains: ['acme.example'], approximateNeedCount: 0, status: { name: 'Active' } },
    });
  });

  it('need issues: by id, external id, attachment and url, with counts, filters and sorts', async () => {
    const org = await app.organization();
    const make = builds(org);
    const client = org.client();
    const bob = await org.member();
    const acme = (await client.createCustomer({ name: 'Acme', externalIds: ['crm-1'], revenue: 10 })).customerId!;
    const zeta = (await client.createCustomer({ name: 'Zeta', revenue: 99 })).customerId!;
    const [one, two] = [await make.issue({ title: 'One' }), await make.issue({ title: 'Two' })];
    const hidden = await make.issue({ title: 'Hidden', team: await org.newTeam({ private: true }) });
    const create = async (input: LinearDocument.CustomerNeedCreateInput) =>
      (await (
        await client.createCustomerNeed(input)
      ).need)!;
    const first = await create({ customerExternalId: 'crm-1', issueId: one.identifier, body: 'Please', priority: 1 });
    expect(first).toMatchObject({ body: 'Please', priority: 1, customerId: acme, issueId: one.id });
    expect(first.url).toContain(`/issue/${one.identifier}`);
    expect((await first.creator)?.id).toBe(org.user.id);
    const url = 'https://desk.example/tickets/7';
    const linked = await create({ customerId: zeta, issueId: two.id, attachmentUrl: url });
    expect((await linked.attachment)?.url).toBe(url);
    await create({ customerId: acme, issueId: two.id });
    await create({ customerId: acme, issueId: hidden.id });
    const refused = async (input: object) => (await refusal(client.createCustomerNeed(input)))[1];
    expect(await refused({ body: 'x' })).toContain('Exactly one of customerId or customerExternalId');
    expect(await refused({ customerId: acme, customerExternalId: 'crm-1' })).toContain('Exactly one of');
    expect(await refused({ customerExternalId: 'nobody' })).toContain('customerExternalId');
    expect(await refused({ customerId: acme, priority: 2 })).toContain('priority must not be greater than 1');
    expect(await refused({ customerId: acme, attachmentUrl: url })).toContain('an attachment needs an issue');
    const attachment = await client.createAttachment({ issueId: one.id, url: 'https://a.example/', title: 'Mail' });
    const fromMail = async () =>
      (await client.customerNeedCreateFromAttachment({ attachmentId: attachment.attachmentId! })).needId!;
    const mailed = await fromMail();
    expect(await fromMail()).toBe(mailed);

    const count = async (id: string) => (await client.issue(id)).customerTicketCount;
    expect([await count(one.id), await count(two.id)]).toEqual([2, 2]);
    expect((await client.customer(acme)).approximateNeedCount).toBe(3);
    expect((await bob.client().customer(acme)).needs).toHaveLength(2);
    expect((await bob.client().customerNeeds()).nodes).toHaveLength(4);
    expect((await (await client.issue(two.id)).needs()).nodes).toHaveLength(2);
    const issues = async (variables: object) => (await client.issues(variables)).nodes.map(({ title }) => title);
    expect(await issues({ filter: { customerCount: { gte: 2 } } })).toEqual(['Two', 'One']);
    expect(await issues({ filter: { customerImportantCount: { eq: 1 } } })).toEqual(['One']);
    expect(await issues({ filter: { needs: { some: { customer: { name: { eq: 'Zeta' } } } } } })).toEqual(['Two']);
    expect(await issues({ sort: [{ customerRevenue: up }] })).toEqual(['Hidden', 'One', 'Two']);
    expect(await issues({ sort: [{ customer: up }] })).toContain('One');
    const sorted = async (key: string) =>
      (await client.customers({ sorts: [{ [key]: up }] })).nodes.map(({ name }) => name);
    expect([await sorted('revenue'), await sorted('approximateNeedCount')]).toEqual([
      ['Acme', 'Zeta'],
      ['Zeta', 'Acme'],
    ]);

    expect((await client.customerNeed({ hash: first.id.slice(0, 8) })).id).toBe(first.id);
    const moved = await client.updateCustomerNeed(first.id, { issueId: two.id });
    expect((await (await moved.need)!.originalIssue)?.id).toBe(one.id);
    expect((await (await client.issue(one.id)).formerNeeds()).nodes.map(({ id }) => id)).toEqual([first.id]);
    const all = await client.updateCustomerNeed(first.id, { priority: 0, applyPriorityToRelatedNeeds: true });
    expect(all.updatedRelatedNeeds).toEqual([]);
    const other = await client.updateCustomerNeed(first.id, { priority: 1, applyPriorityToRelatedNeeds: true });
    expect(other.updatedRelatedNeeds.map(({ priority }) => priority)).toEqual([1]);
    await client.archiveCustomerNeed(first.id);
    expect(await count(two.id)).toBe(2);
    await client.unarchiveCustomerNeed(first.id);
    expect(await count(two.id)).toBe(3);
    const attachmentId = linked.attachmentId!;
    await client.deleteCustomerNeed(linked.id);
    expect(await refusal(client.attachment(attachmentId))).toEqual(notFound('Attachment'));
    await client.deleteCustomerNeed(mailed, { keepAttachment: true });
    expect((await client.attachment(attachment.attachmentId!)).title).toBe('Mail');
    await client.deleteCustomer(acme);
    expect((await client.customerNeeds()).nodes).toEqual([]);
    const [told] = await org.recorded('customerNeed.created');
    expect(told!.data).toMatchObject({
      type: 'CustomerNeed',
      url: expect.stringContaining(one.identifier),
      data: { body: 'Please', priority: 1, customer: { name: 'Acme' }, issue: { identifier: one.identifier } },
    });
  });

  it('have one need of an attachment, also when it is made of it several times at once', async () => {
    const org = await app.organization();
    const client = org.client();
    const { id: issueId } = await builds(org).issue();
    const { attachmentId } = await client.createAttachment({ issueId, url: 'https://a.example/', title: 'Mail' });
    const make = async () => (await client.customerNeedCreateFromAttachment({ attachmentId: attachmentId! })).needId!;
    expect(new Set(await Promise.all(Array.from({ length: 6 }, make))).size).toBe(1);
    expect((await client.customerNeeds()).nodes).toHaveLength(1);
  });

  it('are seeded with their needs, exported, and found by their names again', async () => {
    const issues = [{ title: 'One', number: 1, ref: 'one' }];
    const acme = {
      name: 'Acme',
      domains: ['acme.example'],
      external_ids: ['crm-1'],
      owner: 'bob',
      revenue: 100,
      status: 'Prospect',
      tier: 'Gold',
      needs: [{ issue: 'one', body: 'Please', priority: 1 }],
    };
    const tracker = {
      teams: [{ key: 'ENG', issues }],
      customer_tiers: [{ name: 'Gold', display_name: 'Gold' }],
      customers: [acme],
    };
    const { ctl, body } = await makeSandbox(app, { name: 'customers', users: ['bob'], tracker });
    const exported = (await send(app, 'GET', '/api/sandboxes/self/seed', ctl)).body;
    expect(exported.tracker.customers).toMatchObject([{ ...acme, needs: [{ body: 'Please', priority: 1 }] }]);
    expect(exported.tracker.customer_statuses.map(({ name }: { name: string }) => name)).toEqual([
      'Active',
      'Prospect',
      'Churned',
    ]);
    const again = await makeSandbox(app, exported);
    expect((await send(app, 'GET', '/api/sandboxes/self/seed', again.ctl)).body).toEqual(exported);
    const key = { authorization: String(body.credentials.api_key) };
    const query = '{ customers { nodes { name status { name } tier { name } needs { body issue { title } } } } }';
    const { customers } = (await send(app, 'POST', '/graphql', key, { query })).body.data;
    expect(customers.nodes).toEqual([
      {
        name: 'Acme',
        status: { name: 'Prospect' },
        tier: { name: 'Gold' },
        needs: [{ body: 'Please', issue: { title: 'One' } }],
      },
    ]);
    const state = (await send(app, 'GET', '/api/sandboxes/self/state?document=true', ctl)).body.document.tracker;
    expect(state.customer).toMatchObject([{ name: 'Acme', tier: 'Gold', domains: ['acme.example'] }]);
    expect(state.customer_need).toEqual([{ customer: 'Acme', issue: 'ENG: One', body: 'Please', priority: 1 }]);
  });
});
