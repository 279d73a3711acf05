import { Field } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { CreateInput, UpdateInput } from '../graphql/inputs.js';
import { HttpUrl, LongText, MinLength, NewId, NotNull, SomeOf, Text } from '../graphql/rules.js';
import { WEBHOOK_RESOURCE_TYPES } from './webhooks.types.js';

/** docs/reference/tracker.md#webhook. */
@CreateInput()
export class WebhookCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @Field() @HttpUrl() url!: string;
  @Field(() => [String]) @SomeOf(WEBHOOK_RESOURCE_TYPES) resourceTypes!: string[];
  @OptionalField(() => String) @Text() label?: string;
  /** UUID or key; excludes `allPublicTeams: true`, which is what neither means. */
  @OptionalField(() => String) teamId?: string;
  @OptionalField(() => Boolean) allPublicTeams?: boolean;
  @OptionalField(() => Boolean) enabled?: boolean;
  @OptionalField(() => String) @LongText() @MinLength(1) secret?: string;
}

/** The scope of a webhook never changes. */
@UpdateInput()
export class WebhookUpdateInput {
  @OptionalField(() => String) @HttpUrl() @NotNull() url?: string;
  @OptionalField(() => [String]) @SomeOf(WEBHOOK_RESOURCE_TYPES) @NotNull() resourceTypes?: string[];
  @OptionalField(() => String) @Text() label?: string | null;
  @OptionalField(() => Boolean) @NotNull() enabled?: boolean;
  @OptionalField(() => String) @LongText() @MinLength(1) @NotNull() secret?: string;
}
