import { WithRelations } from '../graphql/relations.js';
import {
  issueFilterRelations,
  issueRelations,
  issueSearchPayloadRelations,
  issueSharedAccessRelations,
} from './issues.relations.js';
import { ownersOfIssuesRelations } from './owners-of-issues.relations.js';
import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { PageArgs } from '../graphql/connections.js';
import { OptionalField } from '../graphql/fields.js';
import { UUID } from '../graphql/scalars.js';
import { LoadersOf, ViewerOf } from '../graphql/viewer-of.js';
import { Access } from '../access/access.js';
import type { Loaders } from '../query/loaders.js';
import type { PageArgs as ListArgs } from '../query/page.js';
import { PRIORITY_LABELS } from '../values/priorities.js';
import { SearchArgs } from '../graphql/search-payloads.js';
import { Searching } from '../query/searching.js';
import type { Viewer } from '../access/viewer.js';
import { IssueChanges } from './issue-changes.js';
import { IssueCreation } from './issue-creation.js';
import { IssueQueries } from './issue-queries.js';
import { IssueSubscribers } from './issue-subscribers.js';
import { IssueFilter } from './issues.filters.js';
import { IssueBatchCreateInput, IssueCreateInput, IssueUpdateInput } from './issues.inputs.js';
import { IssueSortInput } from './issues.sort.js';
import {
  IssueArchivePayload,
  IssueBatchPayload,
  IssueConnection,
  IssuePayload,
  IssuePriorityValue,
  IssueSearchPayload,
  IssueType,
} from './issues.types.js';

@ArgsType()
class FilteredIssues extends PageArgs {
  @OptionalField(() => IssueFilter) filter?: IssueFilter | null;
}

@ArgsType()
class IssuesArgs extends FilteredIssues {
  @OptionalField(() => [IssueSortInput]) sort?: IssueSortInput[] | null;
}

/** docs/reference/tracker.md#issue, #filters. */
@Resolver(() => IssueType)
@WithRelations(
  issueFilterRelations,
  issueRelations,
  issueSearchPayloadRelations,
  issueSharedAccessRelations,
  ...ownersOfIssuesRelations,
)
export class IssuesResolver {
  constructor(
    private readonly access: Access,
    private readonly queries: IssueQueries,
    private readonly creation: IssueCreation,
    private readonly changes: IssueChanges,
    private readonly subscribers: IssueSubscribers,
    private readonly searching: Searching,
  ) {}

  @Query(() => IssueType)
  issue(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.access.issues.visible(viewer, id);
  }

  @Query(() => IssueConnection)
  issues(@LoadersOf() load: Loaders, @Args() args: IssuesArgs) {
    return this.queries.list(load, args as ListArgs);
  }

  @Query(() => IssueConnection)
  async issueSearch(
    @LoadersOf() load: Loaders,
    @Args() args: FilteredIssues,
    @Args('query', { type: () => String, nullable: true }) query?: string | null,
  ) {
    if (typeof query !== 'string') return this.queries.list(load, args);
    return (await this.searching.find('Issue', load, { term: query }, args)).found;
  }

  @Query(() => IssueSearchPayload)
  searchIssues(@LoadersOf() load: Loaders, @Args() args: FilteredIssues, @Args() terms: SearchArgs) {
    return this.searching.find('Issue', load, terms, args);
  }

  @Query(() => IssueType, { nullable: true })
  issueVcsBranchSearch(@ViewerOf() viewer: Viewer, @Args('branchName') branchName: string) {
    return this.queries.byBranchName(viewer, branchName);
  }

  @Query(() => [IssuePriorityValue])
  issuePriorityValues(): IssuePriorityValue[] {
    return PRIORITY_LABELS.map((label, priority) => ({ label, priority }));
  }

  @Mutation(() => IssuePayload)
  issueCreate(@ViewerOf() viewer: Viewer, @Args('input') input: IssueCreateInput) {
    return this.creation.create(viewer, input);
  }

  @Mutation(() => IssueBatchPayload)
  issueBatchCreate(@ViewerOf() viewer: Viewer, @Args('input') input: IssueBatchCreateInput) {
    return this.creation.batchCreate(viewer, input.issues);
  }

  @Mutation(() => IssuePayload)
  issueUpdate(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('input') input: IssueUpdateInput) {
    return this.changes.update(viewer, id, input);
  }

  @Mutation(() => IssueBatchPayload)
  issueBatchUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('ids', { type: () => [UUID] }) ids: string[],
    @Args('input') input: IssueUpdateInput,
  ) {
    return this.changes.batchUpdate(viewer, ids, input);
  }

  @Mutation(() => IssueArchivePayload)
  issueArchive(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('trash', { type: () => Boolean, nullable: true }) trash?: boolean | null,
  ) {
    return this.changes.archive(viewer, id, trash === true);
  }

  @Mutation(() => IssueArchivePayload)
  issueUnarchive(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.changes.unarchive(viewer, id);
  }

  @Mutation(() => IssueArchivePayload)
  issueDelete(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('permanentlyDelete', { type: () => Boolean, nullable: true }) permanentlyDelete?: boolean | null,
  ) {
    return permanentlyDelete === true
      ? this.changes.deletePermanently(viewer, id)
      : this.changes.archive(viewer, id, true);
  }

  @Mutation(() => IssuePayload)
  issueAddLabel(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('labelId') labelId: string) {
    return this.changes.addLabel(viewer, id, labelId);
  }

  @Mutation(() => IssuePayload)
  issueRemoveLabel(@ViewerOf() viewer: Viewer, @Args('id') id: string, @Args('labelId') labelId: string) {
    return this.changes.removeLabel(viewer, id, labelId);
  }

  @Mutation(() => IssuePayload)
  issueSubscribe(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('userId', { type: () => String, nullable: true }) userId?: string | null,
    @Args('userEmail', { type: () => String, nullable: true }) userEmail?: string | null,
  ) {
    return this.subscribers.subscribe(viewer, id, { userId, userEmail });
  }

  @Mutation(() => IssuePayload)
  issueUnsubscribe(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('userId', { type: () => String, nullable: true }) userId?: string | null,
    @Args('userEmail', { type: () => String, nullable: true }) userEmail?: string | null,
  ) {
    return this.subscribers.unsubscribe(viewer, id, { userId, userEmail });
  }
}
