import { IsNotEmpty, IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { TARGET_NAMES } from '../events/event-names.js';
import { Alias } from '../../kernel/validation/instance-of.js';
import { AreEventNames, IsHttpUrl } from '../rest/fields.js';

/** docs/reference/control-plane.md#incoming-webhooks. */
export class IncomingWebhookBody {
  /** An id, `#name` or name. */
  @IsString() @IsNotEmpty() channel!: string;
  /** Default: the app's name. */
  @IsOptional() @IsString() @Length(1, 80) name?: string;
  @IsOptional() @IsString() @MaxLength(100) icon_emoji?: string;
  @IsOptional() @IsString() @MaxLength(2000) icon_url?: string;
  /** People only; default: the default app. */
  @IsOptional() @IsString() app_id?: string;
}

/** docs/reference/control-plane.md#outgoing-webhooks. */
export class OutgoingWebhookBody {
  @Alias('request_url') @IsHttpUrl() url!: string;
  /** Default: all nine kinds. */
  @Alias('event_types') @IsOptional() @AreEventNames(TARGET_NAMES) events?: string[];
  /** Only what happens there. */
  @IsOptional() @IsString() @IsNotEmpty() channel?: string;
  @IsOptional() @IsString() @Length(1, 80) name?: string;
  @IsOptional() @IsString() @Length(16, 128) secret?: string;
}

/** docs/reference/control-plane.md#event-subscriptions. */
export class SubscribeBody {
  @Alias('url') @IsHttpUrl() request_url!: string;
  /** Default: all nine kinds. */
  @Alias('event_types', 'bot_events') @IsOptional() @AreEventNames(TARGET_NAMES) events?: string[];
  /** People only; default: the default app. */
  @IsOptional() @IsString() app_id?: string;
}
