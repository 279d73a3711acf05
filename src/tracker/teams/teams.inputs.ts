import { Field, Float, InputType, Int } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { Normalize } from '../../kernel/validation/instance-of.js';
import { CreateInput, UpdateInput } from '../graphql/inputs.js';
import { Color, LongText, NewId, NotNull, OneOf, Pattern, Reference, Text, WholeNumber } from '../graphql/rules.js';
import { JSONObject, type JsonObject } from '../graphql/scalars.js';

const ESTIMATION_TYPES = ['notUsed', 'exponential', 'fibonacci', 'linear', 'tShirt'];
const SORT_ON_STATE_CHANGE = ['default', 'first', 'last'];

const UpperCase = () => Normalize((value) => (typeof value === 'string' ? value.toUpperCase() : value));
const TEAM_KEY = /^[A-Z][A-Z0-9]{0,6}$/;

/** docs/reference/tracker.md#team; what a field means is in docs/reference/tracker.md#team. */
@CreateInput()
export class TeamCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @Field() @Text() name!: string;
  /** Upper-cased. Made from the name when absent. */
  @OptionalField(() => String) @UpperCase() @Pattern(TEAM_KEY) key?: string;
  @OptionalField(() => String) @LongText() description?: string;
  @OptionalField(() => String) @Color() color?: string;
  @OptionalField(() => String) @LongText() icon?: string;
  @OptionalField(() => Boolean) private?: boolean;
  @OptionalField(() => String) @LongText() timezone?: string;
  @OptionalField(() => Boolean) cyclesEnabled?: boolean;
  @OptionalField(() => Int) @WholeNumber(1, 8) cycleDuration?: number;
  @OptionalField(() => Float) @WholeNumber(0, 6) cycleStartDay?: number;
  @OptionalField(() => Int) @WholeNumber(0, 3) cycleCooldownTime?: number;
  @OptionalField(() => Float) @WholeNumber(0, 10) upcomingCycleCount?: number;
  @OptionalField(() => Boolean) cycleIssueAutoAssignStarted?: boolean;
  @OptionalField(() => Boolean) cycleIssueAutoAssignCompleted?: boolean;
  @OptionalField(() => Boolean) cycleLockToActive?: boolean;
  @OptionalField(() => String) @OneOf(ESTIMATION_TYPES) issueEstimationType?: string;
  @OptionalField(() => Boolean) issueEstimationAllowZero?: boolean;
  @OptionalField(() => Boolean) issueEstimationExtended?: boolean;
  @OptionalField(() => Float) defaultIssueEstimate?: number;
  @OptionalField(() => Float) autoArchivePeriod?: number;
  @OptionalField(() => Float) autoClosePeriod?: number;
  @OptionalField(() => String) @Reference() defaultTemplateForMembersId?: string;
  @OptionalField(() => String) @Reference() defaultTemplateForNonMembersId?: string;
  @OptionalField(() => String) @Reference() defaultProjectTemplateId?: string;
  @OptionalField(() => String) @Reference() autoCloseStateId?: string;
  @OptionalField(() => String) @OneOf(SORT_ON_STATE_CHANGE) setIssueSortOrderOnStateChange?: string;
  @OptionalField(() => Boolean) groupIssueHistory?: boolean;
}

@UpdateInput()
export class TeamUpdateInput {
  @OptionalField(() => String) @Text() @NotNull() name?: string;
  @OptionalField(() => String) @UpperCase() @Pattern(TEAM_KEY) @NotNull() key?: string;
  @OptionalField(() => String) @LongText() description?: string | null;
  @OptionalField(() => String) @Color() @NotNull() color?: string;
  @OptionalField(() => String) @LongText() icon?: string | null;
  @OptionalField(() => Boolean) @NotNull() private?: boolean;
  @OptionalField(() => String) @LongText() @NotNull() timezone?: string;
  @OptionalField(() => Boolean) @NotNull() cyclesEnabled?: boolean;
  @OptionalField(() => Int) @WholeNumber(1, 8) @NotNull() cycleDuration?: number;
  @OptionalField(() => Float) @WholeNumber(0, 6) @NotNull() cycleStartDay?: number;
  @OptionalField(() => Int) @WholeNumber(0, 3) @NotNull() cycleCooldownTime?: number;
  @OptionalField(() => Float) @WholeNumber(0, 10) @NotNull() upcomingCycleCount?: number;
  @OptionalField(() => Boolean) @NotNull() cycleIssueAutoAssignStarted?: boolean;
  @OptionalField(() => Boolean) @NotNull() cycleIssueAutoAssignCompleted?: boolean;
  @OptionalField(() => Boolean) @NotNull() cycleLockToActive?: boolean;
  @OptionalField(() => String) @OneOf(ESTIMATION_TYPES) @NotNull() issueEstimationType?: string;
  @OptionalField(() => Boolean) @NotNull() issueEstimationAllowZero?: boolean;
  @OptionalField(() => Boolean) @NotNull() issueEstimationExtended?: boolean;
  @OptionalField(() => Float) @NotNull() defaultIssueEstimate?: number;
  @OptionalField(() => String) @Reference() defaultIssueStateId?: string | null;
  @OptionalField(() => Float) @NotNull() autoArchivePeriod?: number;
  @OptionalField(() => Float) autoClosePeriod?: number | null;
  @OptionalField(() => String) @Reference() defaultTemplateForMembersId?: string | null;
  @OptionalField(() => String) @Reference() defaultTemplateForNonMembersId?: string | null;
  @OptionalField(() => String) @Reference() defaultProjectTemplateId?: string | null;
  @OptionalField(() => String) @Reference() autoCloseStateId?: string | null;
  @OptionalField(() => Boolean) autoCloseParentIssues?: boolean | null;
  @OptionalField(() => Boolean) autoCloseChildIssues?: boolean | null;
  @OptionalField(() => String) @OneOf(SORT_ON_STATE_CHANGE) @NotNull() setIssueSortOrderOnStateChange?: string;
  @OptionalField(() => Boolean) @NotNull() groupIssueHistory?: boolean;
}

/** The `mapping` of `teamUpdate`: accepted and ignored, since there are no sub-teams. */
@InputType()
export class InheritanceEntityMapping {
  @OptionalField(() => JSONObject) issueLabels?: JsonObject | null;
  @OptionalField(() => JSONObject) projectLabels?: JsonObject | null;
  @OptionalField(() => JSONObject) projectStatuses?: JsonObject | null;
  @Field(() => JSONObject) workflowStates!: JsonObject;
}
