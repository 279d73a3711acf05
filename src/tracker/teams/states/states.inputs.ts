import { Field, Float } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { CreateInput, UpdateInput } from '../../graphql/inputs.js';
import { Color, LongText, NewId, NotNull, OneOf, Reference, Text } from '../../graphql/rules.js';

/** The types a caller may give a state; `duplicate` is the team's own. */
const STATE_TYPES = ['backlog', 'unstarted', 'started', 'completed', 'canceled'];

/** docs/reference/tracker.md#workflowstate. */
@CreateInput()
export class WorkflowStateCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @Field() @Reference() teamId!: string;
  @Field() @Text() name!: string;
  @Field() @OneOf(STATE_TYPES) type!: string;
  @Field() @Color() color!: string;
  @OptionalField(() => Float) position?: number;
  @OptionalField(() => String) @LongText() description?: string;
}

@UpdateInput()
export class WorkflowStateUpdateInput {
  @OptionalField(() => String) @Text() @NotNull() name?: string;
  @OptionalField(() => String) @Color() @NotNull() color?: string;
  @OptionalField(() => Float) @NotNull() position?: number;
  @OptionalField(() => String) @LongText() description?: string | null;
}
