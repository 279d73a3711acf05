import { Float } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { Normalize } from '../../kernel/validation/instance-of.js';
import { UpdateInput } from '../graphql/inputs.js';
import { LongText, NoneOf, NotNull, Pattern, Text, UrlLength, WholeNumber } from '../graphql/rules.js';
import { RESERVED_URL_KEYS, URL_KEY } from '../provisioning/url-keys.js';

const LowerCase = () => Normalize((value) => (typeof value === 'string' ? value.toLowerCase() : value));

@UpdateInput()
export class OrganizationUpdateInput {
  @OptionalField(() => String) @Text() @NotNull() name?: string;
  @OptionalField(() => String) @LowerCase() @Pattern(URL_KEY) @NoneOf(RESERVED_URL_KEYS) @NotNull() urlKey?: string;
  @OptionalField(() => String) @UrlLength() logoUrl?: string | null;
  @OptionalField(() => String) @LongText() gitBranchFormat?: string | null;
  @OptionalField(() => Float) @WholeNumber(0, 11) @NotNull() fiscalYearStartMonth?: number;
}
