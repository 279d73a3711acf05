import { Field, Float, Int } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { CreateInput, NestedInputs, UpdateInput } from '../graphql/inputs.js';
import {
  After,
  AtLeast,
  Elements,
  InThePast,
  IssueReference,
  LongText,
  NewId,
  NotNull,
  NullIsAbsent,
  Priority,
  Reference,
  References,
  RequiredUnless,
  Text,
  UniqueReferences,
  UrlLength,
} from '../graphql/rules.js';
import { DateTime, TimelessDate } from '../graphql/scalars.js';

/** docs/reference/tracker.md#issue. */
@CreateInput()
export class IssueCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @Field() @Reference() teamId!: string;
  // A template may give it; without one it is asked for, though not by the type.
  @OptionalField(() => String) @Text(512) @RequiredUnless('templateId', 'useDefaultTemplate') title?: string;
  @OptionalField(() => String) @LongText() description?: string;
  @OptionalField(() => Int) @Priority() priority?: number;
  @OptionalField(() => Int) @AtLeast(0) estimate?: number;
  @OptionalField(() => TimelessDate) dueDate?: string;
  @OptionalField(() => String) @Reference() stateId?: string;
  /** An application's own user means `delegateId`. */
  @OptionalField(() => String) @Reference() assigneeId?: string;
  @OptionalField(() => String) @Reference() delegateId?: string;
  @OptionalField(() => String) @IssueReference() parentId?: string;
  @OptionalField(() => String) @Reference() projectId?: string;
  @OptionalField(() => String) @Reference() projectMilestoneId?: string;
  @OptionalField(() => String) @Reference() cycleId?: string;
  @OptionalField(() => [String]) @References() labelIds?: string[];
  @OptionalField(() => [String]) @References() releaseIds?: string[];
  @OptionalField(() => [String]) @References() subscriberIds?: string[];
  @OptionalField(() => String) @Reference() sourceCommentId?: string;
  /** What it begins with, where the input does not say otherwise. */
  @OptionalField(() => String) @Reference() templateId?: string;
  @OptionalField(() => Boolean) useDefaultTemplate?: boolean;
  @OptionalField(() => String) @Reference() lastAppliedTemplateId?: string;
  @OptionalField(() => Float) sortOrder?: number;
  @OptionalField(() => Float) prioritySortOrder?: number;
  @OptionalField(() => Float) subIssueSortOrder?: number;
  /** Accepted and ignored: a given `sortOrder` is always kept. */
  @OptionalField(() => Boolean) preserveSortOrderOnCreate?: boolean;
  @OptionalField(() => DateTime) @InThePast() createdAt?: Date;
  @OptionalField(() => DateTime) @InThePast() @After('createdAt') completedAt?: Date;
  /** For whom an application acts, in applications that act as themselves alone. */
  @OptionalField(() => String) @Text() createAsUser?: string;
  @OptionalField(() => String) @UrlLength() displayIconUrl?: string;
}

/** docs/reference/tracker.md#issue. */
@UpdateInput()
export class IssueUpdateInput {
  @OptionalField(() => String) @Reference() @NotNull() teamId?: string;
  @OptionalField(() => String) @Text(512) @NotNull() title?: string;
  @OptionalField(() => String) @LongText() description?: string | null;
  @OptionalField(() => Int) @Priority() priority?: number;
  @OptionalField(() => Int) @AtLeast(0) estimate?: number | null;
  @OptionalField(() => TimelessDate) dueDate?: string | null;
  @OptionalField(() => String) @Reference() @NotNull() stateId?: string;
  /** An application's own user means `delegateId`. */
  @OptionalField(() => String) @Reference() assigneeId?: string | null;
  @OptionalField(() => String) @Reference() delegateId?: string | null;
  @OptionalField(() => String) @IssueReference() parentId?: string | null;
  @OptionalField(() => String) @Reference() projectId?: string | null;
  @OptionalField(() => String) @Reference() projectMilestoneId?: string | null;
  @OptionalField(() => String) @Reference() cycleId?: string | null;
  @OptionalField(() => String) @Reference() lastAppliedTemplateId?: string | null;
  /** Replaces the set; the two deltas below are ignored beside it. */
  @OptionalField(() => [String]) @References() @NotNull() labelIds?: string[];
  @OptionalField(() => [String]) @UniqueReferences() @NullIsAbsent() addedLabelIds?: string[];
  @OptionalField(() => [String]) @References() @NullIsAbsent() removedLabelIds?: string[];
  /** Replaces the set, as `labelIds` does. */
  @OptionalField(() => [String]) @References() @NotNull() releaseIds?: string[];
  @OptionalField(() => [String]) @UniqueReferences() @NullIsAbsent() addedReleaseIds?: string[];
  @OptionalField(() => [String]) @References() @NullIsAbsent() removedReleaseIds?: string[];
  @OptionalField(() => [String]) @References() @NotNull() subscriberIds?: string[];
  @OptionalField(() => Float) @NotNull() sortOrder?: number;
  @OptionalField(() => Float) @NotNull() prioritySortOrder?: number;
  @OptionalField(() => Float) subIssueSortOrder?: number | null;
  @OptionalField(() => DateTime) snoozedUntilAt?: Date | null;
  /** The caller, if it is not given. */
  @OptionalField(() => String) @Reference() @NullIsAbsent() snoozedById?: string;
  /** Null and false both take it out of the trash (docs/reference/tracker.md#issue). */
  @OptionalField(() => Boolean) trashed?: boolean | null;
}

@CreateInput()
export class IssueBatchCreateInput {
  @Field(() => [IssueCreateInput]) @NestedInputs(IssueCreateInput) @Elements(1, 50) issues!: IssueCreateInput[];
}

/** Whether an input asks for a template. */
export const isTemplated = ({ templateId, useDefaultTemplate }: IssueCreateInput): boolean =>
  templateId !== undefined || useDefaultTemplate === true;
