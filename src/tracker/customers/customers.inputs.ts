import { Int } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { CreateInput } from '../graphql/inputs.js';
import { AtLeast, HttpUrl, Reference, Text, Texts } from '../graphql/rules.js';

const EXTERNAL_ID_MAX = 255;

/** docs/reference/tracker.md#customer. */
@CreateInput()
export class CustomerUpsertInput {
  @OptionalField(() => String) @Reference() id?: string;
  @OptionalField(() => String) @Text(EXTERNAL_ID_MAX) externalId?: string;
  @OptionalField(() => [String]) @Texts() domains?: string[];
  @OptionalField(() => String) @HttpUrl() logoUrl?: string;
  @OptionalField(() => String) @Text() name?: string;
  @OptionalField(() => String) @Reference() ownerId?: string;
  @OptionalField(() => Int) @AtLeast(0) revenue?: number;
  @OptionalField(() => Int) @AtLeast(0) size?: number;
  @OptionalField(() => String) @Reference() statusId?: string;
  @OptionalField(() => String) @Reference() tierId?: string;
  @OptionalField(() => String) @Text() tierName?: string;
}
