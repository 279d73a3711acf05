import { Field, Float } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { CreateInput, UpdateInput } from '../../graphql/inputs.js';
import { NewId, NotNull, Reference } from '../../graphql/rules.js';

/** docs/reference/tracker.md#teammembership. */
@CreateInput()
export class TeamMembershipCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @Field() @Reference() teamId!: string;
  @Field() @Reference() userId!: string;
  @OptionalField(() => Float) sortOrder?: number;
}

@UpdateInput()
export class TeamMembershipUpdateInput {
  @OptionalField(() => Float) @NotNull() sortOrder?: number;
}
