import { Field } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { CreateInput, UpdateInput } from '../../graphql/inputs.js';
import { Color, LongText, NewId, NotNull, Reference, Text } from '../../graphql/rules.js';

/** docs/reference/tracker.md#issuelabel. */
@CreateInput()
export class IssueLabelCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @Field() @Text() name!: string;
  @OptionalField(() => String) @Color() color?: string;
  @OptionalField(() => String) @LongText() description?: string;
  /** None, and no parent either: a workspace label. */
  @OptionalField(() => String) @Reference() teamId?: string;
  @OptionalField(() => String) @Reference() parentId?: string;
  @OptionalField(() => Boolean) isGroup?: boolean;
}

@UpdateInput()
export class IssueLabelUpdateInput {
  @OptionalField(() => String) @Text() @NotNull() name?: string;
  @OptionalField(() => String) @Color() @NotNull() color?: string;
  @OptionalField(() => String) @LongText() description?: string | null;
  @OptionalField(() => String) @Reference() parentId?: string | null;
  @OptionalField(() => Boolean) @NotNull() isGroup?: boolean;
}
