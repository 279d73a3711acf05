import { Field, Float, ID, ObjectType } from '@nestjs/graphql';
import { DateTime } from '../../graphql/scalars.js';
import { OptionalField } from '../../graphql/fields.js';
import { ConnectionOf } from '../../graphql/connections.js';
import { MutationPayload, ArchivePayloadOf } from '../../graphql/payloads.js';
import { constantsOf } from '../../graphql/constants.js';

/** docs/reference/tracker.md#cycle; all flags and `progress` are derived from the clock and the issues. */
@ObjectType('Cycle')
export class CycleType {
  @Field(() => ID) id!: string;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field(() => Float) number!: number;
  @OptionalField(() => String) name?: string | null;
  @OptionalField(() => String) description?: string | null;
  @Field(() => DateTime) startsAt!: Date;
  @Field(() => DateTime) endsAt!: Date;
  @OptionalField(() => DateTime) completedAt?: Date | null;
  @Field() isActive!: boolean;
  @Field() isFuture!: boolean;
  @Field() isPast!: boolean;
  @Field() isNext!: boolean;
  @Field() isPrevious!: boolean;
  @Field(() => Float) progress!: number;

  // Always the same.
  @OptionalField(() => DateTime) readonly autoArchivedAt: Date | null = null;
  @Field(() => [Float]) readonly completedIssueCountHistory: number[] = [];
  @Field(() => [Float]) readonly completedScopeHistory: number[] = [];
  @Field(() => [Float]) readonly inProgressScopeHistory: number[] = [];
  @Field(() => [Float]) readonly issueCountHistory: number[] = [];
  @Field(() => [Float]) readonly scopeHistory: number[] = [];
}

@ObjectType()
export class CycleConnection extends ConnectionOf(CycleType) {}

@ObjectType()
export class CyclePayload extends MutationPayload {
  @OptionalField(() => CycleType) cycle?: CycleType | null;
}

@ObjectType()
export class CycleArchivePayload extends ArchivePayloadOf(CycleType) {}

export const cycleConstants = constantsOf(CycleType);
