import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { IsHttpUrl, IsNotBlank } from '../rest/fields.js';

const DOMAIN = /^[a-z0-9](-?[a-z0-9]){0,20}$/;
const DOMAIN_RULE = { message: '$property must be 1 to 21 of a-z and 0-9, with single "-" between' };

/** messaging.md E.3. */
export class WorkspaceBody {
  @IsString() @Length(1, 255) @IsNotBlank() name!: string;
  /** Default: a slug of the name, made unique by digits. */
  @IsOptional() @Matches(DOMAIN, DOMAIN_RULE) domain?: string;
}

export class WorkspaceChanges {
  @IsOptional() @IsString() @Length(1, 255) @IsNotBlank() name?: string;
  @IsOptional() @Matches(DOMAIN, DOMAIN_RULE) domain?: string;
  @IsOptional() @IsHttpUrl() icon?: string;
}
