import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../access/viewer.js';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { PageArgs } from '../graphql/connections.js';
import { OptionalField } from '../graphql/fields.js';
import { NumberComparator } from '../graphql/filters.js';
import { derived, filterRelations, relationsOf } from '../graphql/relations.js';
import { LoadersOf, ViewerOf } from '../graphql/viewer-of.js';
import type { Issue } from '../issues/issue.entity.js';
import { IssueType } from '../issues/issues.types.js';
import type { Organization } from '../store/organization.entity.js';
import { OrganizationType } from '../organization/organization.types.js';
import type { OrderArgs } from '../query/order.js';
import type { Loaders } from '../query/loaders.js';
import { customerUrl } from '../values/urls.js';
import { type Customer, customers } from './customer.entity.js';
import { CustomerUpsertInput } from './customers.inputs.js';
import { customerCountOf, needCountOfCustomer, needCountOfIssue, needsOfCustomer } from './customers.queries.js';
import { CustomersService } from './customers.service.js';
import { CustomerSortInput } from './customers.sort.js';

const { types } = customers;
const { Connection, Filter } = types;

@ArgsType()
class CustomersArgs extends PageArgs {
  @OptionalField(() => Filter) filter?: object | null;
  @OptionalField(() => [CustomerSortInput]) sorts?: OrderArgs['sort'];
}

const ticketCount = { customerTicketCount: derived<Issue>(({ id }, load) => load.by(needCountOfIssue, id)) };
const counts = { customerCount: () => NumberComparator, customerImportantCount: () => NumberComparator };

/** docs/reference/tracker.md#customer. */
@Resolver(() => types.Type)
@WithEntity(
  customers,
  relationsOf<Customer>(() => types.Type, {
    approximateNeedCount: derived(({ id }, load) => load.by(needCountOfCustomer, id)),
    needs: derived(({ id }, load) => load.by(needsOfCustomer, id)),
    url: derived((customer, load, _args, { web }) => customerUrl(web, load.viewer.urlKey, customer)),
  }),
  relationsOf<Issue>(() => IssueType, ticketCount),
  relationsOf<Organization>(() => OrganizationType, {
    customerCount: derived(({ id }, load) => load.by(customerCountOf, id)),
  }),
  filterRelations(() => ['IssueFilter', 'NullableIssueFilter', 'IssueCollectionFilter'], counts),
  filterRelations(() => ['ProjectFilter', 'NullableProjectFilter', 'ProjectCollectionFilter'], counts),
)
export class CustomersResolver extends EntityResolver(customers) {
  constructor(private readonly own: CustomersService) {
    super(own);
  }

  @Query(() => Connection, { name: 'customers' })
  all(@LoadersOf() load: Loaders, @Args() { sorts, ...args }: CustomersArgs): unknown {
    return this.own.list(load, { ...args, sort: sorts ?? null });
  }

  @Mutation(() => types.Payload)
  customerUpsert(@ViewerOf() viewer: Viewer, @Args('input') input: CustomerUpsertInput): unknown {
    return this.own.upsert(viewer, input);
  }

  @Mutation(() => types.Payload)
  customerMerge(
    @ViewerOf() viewer: Viewer,
    @Args('sourceCustomerId') sourceId: string,
    @Args('targetCustomerId') targetId: string,
  ): unknown {
    return this.own.merge(viewer, sourceId, targetId);
  }
}
