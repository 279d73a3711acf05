import {
  IsBoolean,
  IsEmail,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
  ValidateNested,
} from 'class-validator';
import { PartOf } from '../kernel/validation/instance-of.js';

export class ProvisionTeam {
  @IsString() @Length(1, 255) @Matches(/\S/, { message: '$property must not be blank' }) name!: string;
  @IsOptional()
  @Matches(/^[a-z0-9](-?[a-z0-9]){0,20}$/, {
    message: '$property must be 1 to 21 of a-z and 0-9, with single "-" between',
  })
  domain?: string;
  /** Whether people who know its names may join; by default only `users` are members. */
  @IsOptional() @IsBoolean() joinable?: boolean;
}

export class ProvisionAdmin {
  @IsOptional() @IsEmail() @MaxLength(254) email?: string;
  @IsOptional() @IsString() @Length(1, 80) @Matches(/\S/, { message: '$property must not be blank' }) name?: string;
  @IsOptional() @IsString() @Length(8, 72) password?: string;
}

export class ProvisionApp {
  @IsOptional() @IsObject() manifest?: Record<string, unknown>;
}

/**
 * docs/reference/control-plane.md#provisioning; every part is optional. The other fields are those of a document
 * (sandboxes.md#seeds).
 */
export class ProvisionBody {
  @IsOptional() @IsObject() @ValidateNested() @PartOf(() => ProvisionTeam) team?: ProvisionTeam;
  @IsOptional() @IsObject() @ValidateNested() @PartOf(() => ProvisionAdmin) admin?: ProvisionAdmin;
  @IsOptional() @IsObject() @ValidateNested() @PartOf(() => ProvisionApp) app?: ProvisionApp;
}
