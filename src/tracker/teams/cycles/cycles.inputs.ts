import { Field } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { CreateInput, UpdateInput } from '../../graphql/inputs.js';
import { After, LongText, NewId, NotNull, Reference, Text } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';

/** docs/reference/tracker.md#cycle. */
@CreateInput()
export class CycleCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @Field() @Reference() teamId!: string;
  @Field(() => DateTime) startsAt!: Date;
  @Field(() => DateTime) @After('startsAt') endsAt!: Date;
  @OptionalField(() => String) @Text() name?: string;
  @OptionalField(() => String) @LongText() description?: string;
  @OptionalField(() => DateTime) completedAt?: Date;
}

/** One moment alone is compared with the stored other one by the service. */
@UpdateInput()
export class CycleUpdateInput {
  @OptionalField(() => DateTime) @NotNull() startsAt?: Date;
  @OptionalField(() => DateTime) @After('startsAt') @NotNull() endsAt?: Date;
  @OptionalField(() => String) @Text() name?: string | null;
  @OptionalField(() => String) @LongText() description?: string | null;
  @OptionalField(() => DateTime) completedAt?: Date | null;
}
