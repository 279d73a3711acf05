import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import { newMark, newUuid } from '../../kernel/ids/ids.js';
import type { Viewer } from '../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../entity/declare.js';
import type { Place } from '../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../entity/service.js';
import { brokenRule, duplicate, invalidArgument, unknownReference } from '../values/errors.js';
import { pickColor } from '../values/colors.js';
import { customerUrl, webFor } from '../values/urls.js';
import { Customer, customers, withExternalId } from './customer.entity.js';
import { nextPosition } from './customer-stages.js';
import type { CustomerUpsertInput } from './customers.inputs.js';
import { customersWithDomain, lockCustomers, moveNeeds } from './customers.queries.js';
import { CustomerNeed } from './needs/customer-need.entity.js';
import { CustomerStatus } from './statuses/customer-status.entity.js';
import { CustomerTier } from './tiers/customer-tier.entity.js';

type Create = CreateInputOf<typeof customers>;
type Update = UpdateInputOf<typeof customers>;

/** Customers (docs/reference/tracker.md#customer). */
@Injectable()
export class CustomersService extends EntityService<typeof customers> {
  constructor(needs: EntityNeeds) {
    super(customers, needs);
  }

  override create(viewer: Viewer, input: Create) {
    return this.answer(viewer, async (tx) => {
      await lockCustomers(tx, viewer.organizationId);
      return this.insert(tx, viewer, withDomains(input));
    });
  }

  override update(viewer: Viewer, id: string, input: Update) {
    return this.answer(viewer, async (tx) => {
      await lockCustomers(tx, viewer.organizationId);
      return this.change(tx, viewer, id, input);
    });
  }

  /** Changes the customer that has the id, the external id or a domain, else makes one. */
  upsert(viewer: Viewer, input: CustomerUpsertInput) {
    return this.answer(viewer, async (tx) => {
      await lockCustomers(tx, viewer.organizationId);
      const { id, externalId, tierName, domains = [], ...given } = withDomains(input);
      const known = await this.find(tx, viewer, { id, externalId, domains });
      const tierId = given.tierId ?? (tierName === undefined ? undefined : await this.tierNamed(tx, viewer, tierName));
      const values = {
        ...given,
        ...(tierId !== undefined && { tierId }),
        domains: [...new Set([...(known?.domains ?? []), ...domains])],
        externalIds: [...new Set([...(known?.externalIds ?? []), ...(externalId === undefined ? [] : [externalId])])],
      };
      if (known) return this.change(tx, viewer, known.id, values);
      const { name } = values;
      if (name === undefined) throw invalidArgument('name', 'isNotEmpty', 'name should not be empty');
      return this.insert(tx, viewer, { ...values, name, ...(id !== undefined && { id }) });
    });
  }

  /** The needs, domains and external ids of the one go over to the other. */
  merge(viewer: Viewer, sourceId: string, targetId: string) {
    return this.answer(viewer, async (tx) => {
      await lockCustomers(tx, viewer.organizationId);
      const source = await this.hold(tx, viewer, sourceId);
      const before = await this.hold(tx, viewer, targetId);
      if (source.id === before.id) throw brokenRule('a customer cannot be merged into itself');
      const at = this.needs.clock.now();
      const writing = { tx, viewer, at, referred: {} };
      await moveNeeds(tx, source.id, before.id, at);
      await tx.sql.delete(Customer, { id: source.id });
      await this.record({ ...writing, before: source }, 'remove', source);
      return this.store(
        { ...writing, before },
        {
          domains: [...new Set([...before.domains, ...source.domains])],
          externalIds: [...new Set([...before.externalIds, ...source.externalIds])],
        },
      );
    });
  }

  protected override async filled({ tx, viewer }: Writing<Customer>, { domains = [], statusId }: Create) {
    await this.requireDomains(tx, viewer, domains);
    if (statusId !== undefined) return { slugId: newMark(12) };
    const first = { where: { organizationId: viewer.organizationId }, order: { position: 'ASC', id: 'ASC' } } as const;
    const status = await tx.sql.findOne(CustomerStatus, first);
    if (!status) throw unknownReference('statusId');
    return { slugId: newMark(12), statusId: status.id };
  }

  protected override async told({ tx, viewer }: Writing<Customer>, customer: Customer) {
    const { id, statusId, tierId } = customer;
    const status = await tx.sql.findOneBy(CustomerStatus, { id: statusId });
    const tier = tierId === null ? null : await tx.sql.findOneBy(CustomerTier, { id: tierId });
    return {
      ...customers.data(customer),
      status: stageData(status),
      tier: stageData(tier),
      approximateNeedCount: await tx.sql.countBy(CustomerNeed, { customerId: id, archivedAt: IsNull() }),
      url: customerUrl(webFor(this.needs.publicUrl.base, viewer), viewer.urlKey, customer),
    };
  }

  protected override urlOf(customer: Customer, { url }: Place): string {
    return customerUrl(url, undefined, customer);
  }

  private async change(tx: Tx, viewer: Viewer, id: string, given: Update): Promise<Customer> {
    const input = withDomains(given);
    const before = await this.hold(tx, viewer, id);
    if (input.domains) await this.requireDomains(tx, viewer, input.domains, before.id);
    const referred = await this.refer(tx, viewer, input);
    const writing = { tx, viewer, at: this.needs.clock.now(), before, referred };
    return this.store(writing, this.columnsOf(input, referred));
  }

  private async find(
    tx: Tx,
    viewer: Viewer,
    { id, externalId, domains }: { id: string | undefined; externalId: string | undefined; domains: string[] },
  ): Promise<Customer | undefined> {
    const { organizationId } = viewer;
    const byId = id === undefined ? undefined : await this.door.find(viewer, id, tx);
    if (byId) return byId;
    const other =
      (externalId === undefined
        ? undefined
        : (await tx.sql.findOne(Customer, withExternalId(organizationId, externalId)))?.id) ??
      (domains.length === 0 ? undefined : (await customersWithDomain(tx, organizationId, domains))[0]?.id);
    return other === undefined ? undefined : this.door.find(viewer, other, tx);
  }

  /** Made when there is none. */
  private async tierNamed(tx: Tx, { organizationId }: Viewer, name: string): Promise<string> {
    const known = await tx.sql.findOneBy(CustomerTier, { organizationId, name });
    if (known) return known.id;
    const at = this.needs.clock.now();
    const id = newUuid();
    const position = await nextPosition(tx, CustomerTier, organizationId);
    const times = { createdAt: at, updatedAt: at };
    await tx.sql.insert(CustomerTier, {
      id,
      organizationId,
      name,
      displayName: name,
      color: pickColor(),
      position,
      ...times,
    });
    return id;
  }

  /** @throws duplicate for a domain of another customer */
  private async requireDomains(tx: Tx, { organizationId }: Viewer, domains: readonly string[], own?: string) {
    if (domains.length === 0) return;
    const others = (await customersWithDomain(tx, organizationId, domains)).filter(({ id }) => id !== own);
    const taken = domains.find((domain) => others.some((other) => other.domains.includes(domain)));
    if (taken !== undefined) throw duplicate('customer domain', taken);
  }
}

/** In lower case, each once. */
function withDomains<I extends { domains?: string[] }>(input: I): I {
  if (!input.domains) return input;
  return { ...input, domains: [...new Set(input.domains.map((domain) => domain.toLowerCase()))] };
}

const stageData = (stage: CustomerStatus | CustomerTier | null) =>
  stage && {
    id: stage.id,
    name: stage.name,
    displayName: stage.displayName,
    color: stage.color,
    ...(stage.description !== null && { description: stage.description }),
    ...('type' in stage && stage.type !== null && { type: stage.type }),
  };
