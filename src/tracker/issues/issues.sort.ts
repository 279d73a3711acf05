import { Field, InputType } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { Sort } from '../graphql/sort.js';

@InputType()
export class AssigneeSort extends Sort {}

@InputType()
export class CompletedAtSort extends Sort {}

@InputType()
export class CreatedAtSort extends Sort {}

@InputType()
export class CustomerSort extends Sort {}

@InputType()
export class CustomerCountSort extends Sort {}

@InputType()
export class CustomerImportantCountSort extends Sort {}

@InputType()
export class CustomerRevenueSort extends Sort {}

@InputType()
export class CycleSort extends Sort {
  @OptionalField(() => Boolean) currentCycleFirst?: boolean | null;
}

@InputType()
export class DelegateSort extends Sort {}

@InputType()
export class DueDateSort extends Sort {}

@InputType()
export class EstimateSort extends Sort {}

@InputType()
export class LabelSort extends Sort {}

/** By the label of a group. */
@InputType()
export class LabelGroupSort extends Sort {
  @Field() labelGroupId!: string;
}

@InputType()
export class ManualSort extends Sort {}

@InputType()
export class MilestoneSort extends Sort {}

@InputType()
export class PrioritySort extends Sort {
  @OptionalField(() => Boolean) noPriorityFirst?: boolean | null;
  @OptionalField(() => Boolean) usePrioritySortOrderTiebreaker?: boolean | null;
}

@InputType()
export class ProjectSort extends Sort {}

@InputType()
export class ReleaseSort extends Sort {}

/** By a key of the issue at the top of its parents. */
@InputType()
export class RootIssueSort extends Sort {
  // an object, as the class is declared below
  @Field(() => IssueSortInput) sort!: object;
}

@InputType()
export class TeamSort extends Sort {}

@InputType()
export class TitleSort extends Sort {}

@InputType()
export class UpdatedAtSort extends Sort {}

@InputType()
export class WorkflowStateSort extends Sort {
  @OptionalField(() => Boolean) closedIssuesOrderedByRecency?: boolean | null;
}

/** One key an object (docs/reference/tracker.md#filters). */
@InputType()
export class IssueSortInput {
  @OptionalField(() => AssigneeSort) assignee?: AssigneeSort | null;
  @OptionalField(() => CompletedAtSort) completedAt?: CompletedAtSort | null;
  @OptionalField(() => CreatedAtSort) createdAt?: CreatedAtSort | null;
  @OptionalField(() => CustomerSort) customer?: CustomerSort | null;
  @OptionalField(() => CustomerCountSort) customerCount?: CustomerCountSort | null;
  @OptionalField(() => CustomerImportantCountSort) customerImportantCount?: CustomerImportantCountSort | null;
  @OptionalField(() => CustomerRevenueSort) customerRevenue?: CustomerRevenueSort | null;
  @OptionalField(() => CycleSort) cycle?: CycleSort | null;
  @OptionalField(() => DelegateSort) delegate?: DelegateSort | null;
  @OptionalField(() => DueDateSort) dueDate?: DueDateSort | null;
  @OptionalField(() => EstimateSort) estimate?: EstimateSort | null;
  @OptionalField(() => LabelSort) label?: LabelSort | null;
  @OptionalField(() => LabelGroupSort) labelGroup?: LabelGroupSort | null;
  @OptionalField(() => ManualSort) manual?: ManualSort | null;
  @OptionalField(() => MilestoneSort) milestone?: MilestoneSort | null;
  @OptionalField(() => PrioritySort) priority?: PrioritySort | null;
  @OptionalField(() => ProjectSort) project?: ProjectSort | null;
  @OptionalField(() => ReleaseSort) release?: ReleaseSort | null;
  @OptionalField(() => RootIssueSort) rootIssue?: RootIssueSort | null;
  @OptionalField(() => TeamSort) team?: TeamSort | null;
  @OptionalField(() => TitleSort) title?: TitleSort | null;
  @OptionalField(() => UpdatedAtSort) updatedAt?: UpdatedAtSort | null;
  @OptionalField(() => WorkflowStateSort) workflowState?: WorkflowStateSort | null;
}
