import { IsBoolean, IsEmail, IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { IsHttpUrl, IsNotBlank } from '../rest/fields.js';

const DOMAIN = /^[a-z0-9](-?[a-z0-9]){0,20}$/;
const DOMAIN_RULE = { message: '$property must be 1 to 21 of a-z and 0-9, with single "-" between' };

/** docs/reference/control-plane.md#workspaces. */
export class WorkspaceBody {
  @IsString() @Length(1, 255) @IsNotBlank() name!: string;
  /** Default: a slug of the name, made unique by digits. */
  @IsOptional() @Matches(DOMAIN, DOMAIN_RULE) domain?: string;
}

export class WorkspaceChanges {
  @IsOptional() @IsString() @Length(1, 255) @IsNotBlank() name?: string;
  @IsOptional() @Matches(DOMAIN, DOMAIN_RULE) domain?: string;
  @IsOptional() @IsHttpUrl() icon?: string;
  /** Whether people who know its id may join, and its organization by the url key. */
  @IsOptional() @IsBoolean() joinable?: boolean;
}

export class MemberBody {
  @IsString() @Length(1, 80) @IsNotBlank() name!: string;
  @IsEmail() @MaxLength(254) email!: string;
  /** Without one, the person cannot log in: the answer's token is the way in. */
  @IsOptional() @IsString() @Length(8, 72) password?: string;
  @IsOptional() @IsString() @Length(1, 80) @IsNotBlank() real_name?: string;
  @IsOptional() @IsBoolean() is_admin?: boolean;
}
