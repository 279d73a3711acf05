import { IsBoolean, IsNotIn, IsOptional, IsString, Matches } from 'class-validator';
import { Normalize } from '../../kernel/validation/instance-of.js';
import { Text } from '../graphql/rules.js';
import { RESERVED_URL_KEYS, URL_KEY } from '../provisioning/url-keys.js';

const LowerCase = () => Normalize((value) => (typeof value === 'string' ? value.toLowerCase() : value));

/** docs/reference/tracker.md#rest; the url key as in docs/reference/tracker.md#organization. */
export class CreateOrganizationBody {
  @IsString() @Text() name!: string;
  @LowerCase() @IsString() @Matches(URL_KEY) @IsNotIn(RESERVED_URL_KEYS) urlKey!: string;
}

export class JoinOrganizationBody {
  @LowerCase() @IsString() urlKey!: string;
}

export class ChangeOrganizationBody {
  /** Whether people who know its url key may join. */
  @IsOptional() @IsBoolean() joinable?: boolean;
}
