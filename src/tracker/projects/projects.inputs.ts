import { Field, Float, Int } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { CreateInput, UpdateInput } from '../graphql/inputs.js';
import {
  Color,
  LongText,
  MaxLength,
  NewId,
  NotBefore,
  NotNull,
  Priority,
  Reference,
  References,
  SomeReferences,
  Text,
} from '../graphql/rules.js';
import { DateTime, TimelessDate } from '../graphql/scalars.js';
import { DateResolutionType } from './projects.types.js';

/** docs/reference/tracker.md#project. */
@CreateInput()
export class ProjectCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @Field() @Text() name!: string;
  @Field(() => [String]) @SomeReferences() teamIds!: string[];
  @OptionalField(() => String) @MaxLength(255) description?: string;
  @OptionalField(() => String) @LongText() content?: string;
  @OptionalField(() => String) @Color() color?: string;
  @OptionalField(() => String) @LongText() icon?: string;
  @OptionalField(() => String) @Reference() leadId?: string;
  @OptionalField(() => [String]) @References() memberIds?: string[];
  @OptionalField(() => [String]) @References() labelIds?: string[];
  @OptionalField(() => String) @Reference() statusId?: string;
  @OptionalField(() => Int) @Priority() priority?: number;
  @OptionalField(() => Float) sortOrder?: number;
  @OptionalField(() => Float) prioritySortOrder?: number;
  @OptionalField(() => TimelessDate) startDate?: string;
  @OptionalField(() => DateResolutionType) startDateResolution?: DateResolutionType;
  @OptionalField(() => TimelessDate) @NotBefore('startDate') targetDate?: string;
  @OptionalField(() => DateResolutionType) targetDateResolution?: DateResolutionType;
  @OptionalField(() => String) @Reference() convertedFromIssueId?: string;
  /** What it begins with, where the input does not say otherwise. */
  @OptionalField(() => String) @Reference() templateId?: string;
  @OptionalField(() => Boolean) useDefaultTemplate?: boolean;
  @OptionalField(() => String) @Reference() lastAppliedTemplateId?: string;
}

/** One day alone is compared with the stored other one by the service. */
@UpdateInput()
export class ProjectUpdateInput {
  @OptionalField(() => String) @Text() @NotNull() name?: string;
  @OptionalField(() => [String]) @SomeReferences() @NotNull() teamIds?: string[];
  @OptionalField(() => String) @MaxLength(255) @NotNull() description?: string;
  @OptionalField(() => String) @LongText() content?: string | null;
  @OptionalField(() => String) @Color() @NotNull() color?: string;
  @OptionalField(() => String) @LongText() icon?: string | null;
  @OptionalField(() => String) @Reference() leadId?: string | null;
  @OptionalField(() => String) @Reference() lastAppliedTemplateId?: string | null;
  @OptionalField(() => [String]) @References() @NotNull() memberIds?: string[];
  @OptionalField(() => [String]) @References() @NotNull() labelIds?: string[];
  @OptionalField(() => String) @Reference() @NotNull() statusId?: string;
  @OptionalField(() => Int) @Priority() priority?: number;
  @OptionalField(() => Float) @NotNull() sortOrder?: number;
  @OptionalField(() => Float) @NotNull() prioritySortOrder?: number;
  @OptionalField(() => TimelessDate) startDate?: string | null;
  @OptionalField(() => DateResolutionType) startDateResolution?: DateResolutionType | null;
  @OptionalField(() => TimelessDate) @NotBefore('startDate') targetDate?: string | null;
  @OptionalField(() => DateResolutionType) targetDateResolution?: DateResolutionType | null;
  @OptionalField(() => DateTime) completedAt?: Date | null;
  @OptionalField(() => DateTime) canceledAt?: Date | null;
  /** Null and false both take it out of the trash. */
  @OptionalField(() => Boolean) trashed?: boolean | null;
}
