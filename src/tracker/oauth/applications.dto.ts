import { IsArray, IsBoolean, IsIn, IsOptional, IsString } from 'class-validator';
import { isRedirectUrl } from '../../kernel/http/redirect-urls.js';
import { Elements, HttpUrl, LongText, NotNull, rule, SomeOf, Text } from '../graphql/rules.js';
import { WEBHOOK_RESOURCE_TYPES } from '../webhooks/webhooks.types.js';

const URI_MAX = 2_048;

/** Absolute, of http, https or a scheme of the application's own, without fragment or user information. */
const RedirectUrls = () =>
  rule({
    name: 'isRedirectUri',
    message: '$property must be redirect URLs: http, https or a scheme of your own, without fragment',
    holds: (value) => typeof value === 'string' && value.length <= URI_MAX && isRedirectUrl(value),
    each: true,
  });

const GRANT_TYPES = ['authorization_code', 'client_credentials'];

abstract class ApplicationFields {
  @IsOptional() @IsString() @Text() developer?: string | null;
  @IsOptional() @IsString() @HttpUrl() developerUrl?: string | null;
  @IsOptional() @IsString() @LongText() description?: string | null;
  @IsOptional() @IsString() @HttpUrl() imageUrl?: string | null;
  @IsOptional() @IsArray() @NotNull() @SomeOf(GRANT_TYPES) grantTypes?: string[];
  @IsOptional() @NotNull() @IsIn(['private', 'public']) distribution?: 'private' | 'public';
  @IsOptional() @IsString() @HttpUrl() webhookUrl?: string | null;
  @IsOptional() @IsArray() @NotNull() @SomeOf(WEBHOOK_RESOURCE_TYPES) webhookResourceTypes?: string[];
  @IsOptional() @IsBoolean() @NotNull() webhookEnabled?: boolean;
}

/** A new application (docs/reference/tracker-oauth.md#applications). */
export class CreateApplicationBody extends ApplicationFields {
  @IsString() @Text() name!: string;
  @IsArray() @Elements(1, 100) @RedirectUrls() redirectUris!: string[];
}

/** What an application may be changed to. */
export class ChangeApplicationBody extends ApplicationFields {
  @IsOptional() @IsString() @NotNull() @Text() name?: string;
  @IsOptional() @IsArray() @NotNull() @Elements(1, 100) @RedirectUrls() redirectUris?: string[];
}

/** The teams of the application's own user: all public ones, or these. */
export class ApplicationTeamsBody {
  @IsOptional() @IsBoolean() allPublicTeams?: boolean;
  @IsOptional() @IsArray() @IsString({ each: true }) @Elements(0, 100) teamIds?: string[];
}
