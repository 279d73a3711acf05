import { IsNotEmpty, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { COMMAND, MAX_DESCRIPTION, MAX_USAGE_HINT } from '../provisioning/slash-commands.js';
import { Alias } from '../../kernel/validation/instance-of.js';
import { IsHttpUrl } from '../rest/fields.js';

/** docs/reference/control-plane.md#slash-commands. */
export class CommandBody {
  @Matches(COMMAND, { message: '$property must be a "/" and 1 to 31 of a-z, 0-9, "_" and "-"' }) command!: string;
  /** Optional for an app that uses Socket Mode. */
  @Alias('request_url') @IsOptional() @IsHttpUrl() url?: string;
  @IsOptional() @IsString() @MaxLength(MAX_DESCRIPTION) description?: string;
  @IsOptional() @IsString() @MaxLength(MAX_USAGE_HINT) usage_hint?: string;
  /** People only; default: the default app. */
  @IsOptional() @IsString() app_id?: string;
}

export class ExecuteCommandBody {
  /** May include its text after a space when `text` is absent. */
  @IsString() @IsNotEmpty() command!: string;
  @IsOptional() @IsString() text?: string;
  @Alias('channel') @IsString() @IsNotEmpty() channel_id!: string;
}
