import { Transform } from 'class-transformer';
import { IsNotIn, IsString, Matches } from 'class-validator';
import { Text } from '../graphql/rules.js';
import { RESERVED_URL_KEYS, URL_KEY } from '../model/url-keys.js';

const LowerCase = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value));

/** tracker.md h.3; the url key as in c.1. */
export class CreateOrganizationBody {
  @IsString() @Text() name!: string;
  @LowerCase() @IsString() @Matches(URL_KEY) @IsNotIn(RESERVED_URL_KEYS) urlKey!: string;
}

export class JoinOrganizationBody {
  @LowerCase() @IsString() urlKey!: string;
}
