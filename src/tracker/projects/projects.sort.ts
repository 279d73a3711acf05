import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { PrioritySort, Sort } from '../graphql/sort.js';

@InputType()
export class ProjectCreatedAtSort extends Sort {}

@InputType()
export class ProjectHealthSort extends Sort {}

@InputType()
export class ProjectLeadSort extends Sort {}

@InputType()
export class ProjectManualSort extends Sort {}

@InputType()
export class ProjectNameSort extends Sort {}

@InputType()
export class ProjectPrioritySort extends PrioritySort {}

@InputType()
export class StartDateSort extends Sort {}

@InputType()
export class ProjectStatusSort extends Sort {}

@InputType()
export class TargetDateSort extends Sort {}

@InputType()
export class ProjectUpdatedAtSort extends Sort {}

/** One key an object (docs/reference/tracker.md#filters). */
@InputType()
export class ProjectSortInput {
  @OptionalField(() => ProjectCreatedAtSort) createdAt?: ProjectCreatedAtSort | null;
  @OptionalField(() => ProjectHealthSort) health?: ProjectHealthSort | null;
  @OptionalField(() => ProjectLeadSort) lead?: ProjectLeadSort | null;
  @OptionalField(() => ProjectManualSort) manual?: ProjectManualSort | null;
  @OptionalField(() => ProjectNameSort) name?: ProjectNameSort | null;
  @OptionalField(() => ProjectPrioritySort) priority?: ProjectPrioritySort | null;
  @OptionalField(() => StartDateSort) startDate?: StartDateSort | null;
  @OptionalField(() => ProjectStatusSort) status?: ProjectStatusSort | null;
  @OptionalField(() => TargetDateSort) targetDate?: TargetDateSort | null;
  @OptionalField(() => ProjectUpdatedAtSort) updatedAt?: ProjectUpdatedAtSort | null;
}
