import { IsArray, IsBoolean, IsOptional, IsString } from 'class-validator';
import { HttpUrl, LongText, MinLength, SomeOf, Text } from '../graphql/rules.js';
import { WEBHOOK_RESOURCE_TYPES } from './webhooks.types.js';

/** docs/reference/tracker.md#rest, by the rules of docs/reference/tracker.md#webhook. */
export class CreateWebhookBody {
  @IsString() @HttpUrl() url!: string;
  /** The six that fire where absent. */
  @IsOptional() @IsArray() @SomeOf(WEBHOOK_RESOURCE_TYPES) resourceTypes?: string[] | null;
  /** UUID or key. */
  @IsOptional() @IsString() teamId?: string | null;
  @IsOptional() @IsBoolean() allPublicTeams?: boolean | null;
  @IsOptional() @IsString() @Text() label?: string | null;
  @IsOptional() @IsString() @LongText() @MinLength(1) secret?: string | null;
  @IsOptional() @IsBoolean() enabled?: boolean | null;
}
