import { OptionalField } from '../../graphql/fields.js';
import { UpdateInput } from '../../graphql/inputs.js';
import { LongText, NotNull, Text, UrlLength } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';

/** docs/reference/tracker.md#user. */
@UpdateInput()
export class UserUpdateInput {
  @OptionalField(() => String) @Text() @NotNull() name?: string;
  @OptionalField(() => String) @Text() @NotNull() displayName?: string;
  @OptionalField(() => String) @LongText() title?: string | null;
  @OptionalField(() => String) @LongText() description?: string | null;
  @OptionalField(() => String) @UrlLength() avatarUrl?: string | null;
  @OptionalField(() => String) @LongText() timezone?: string | null;
  @OptionalField(() => String) @LongText() statusEmoji?: string | null;
  @OptionalField(() => String) @LongText() statusLabel?: string | null;
  @OptionalField(() => DateTime) statusUntilAt?: Date | null;
}
