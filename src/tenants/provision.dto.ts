import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsEmail,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  MaxLength,
  registerDecorator,
  ValidateNested,
} from 'class-validator';
import { checkChannelName } from '../messaging/model/channel-name.js';

/** How many users, channels and members one call may make: all of it is one transaction. */
const MANY = 1000;

const HANDLE = /^[a-z0-9][a-z0-9._-]{0,79}$/;
const HANDLE_RULE = '$property must be 1 to 80 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit';

/** A name by the rules of messaging.md A.13. */
function IsChannelName(): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'isChannelName',
      target: target.constructor,
      propertyName: property as string,
      options: { message: '$property must be a channel name: 1 to 80 letters without upper case, digits, "-" and "_"' },
      validator: { validate: (value: unknown) => typeof value === 'string' && 'name' in checkChannelName(value) },
    });
}

export class ProvisionTeam {
  @IsString() @Length(1, 255) @Matches(/\S/, { message: '$property must not be blank' }) name!: string;
  @IsOptional()
  @Matches(/^[a-z0-9](-?[a-z0-9]){0,20}$/, {
    message: '$property must be 1 to 21 of a-z and 0-9, with single "-" between',
  })
  domain?: string;
}

export class ProvisionAdmin {
  @IsOptional() @IsEmail() @MaxLength(254) email?: string;
  @IsOptional() @IsString() @Length(1, 80) @Matches(/\S/, { message: '$property must not be blank' }) name?: string;
  @IsOptional() @IsString() @Length(8, 72) password?: string;
}

export class ProvisionApp {
  @IsOptional() @IsObject() manifest?: Record<string, unknown>;
}

export class ProvisionUser {
  @Matches(HANDLE, { message: HANDLE_RULE }) name!: string;
  @IsOptional()
  @IsString()
  @Length(1, 80)
  @Matches(/\S/, { message: '$property must not be blank' })
  real_name?: string;
  @IsOptional() @IsEmail() @MaxLength(254) email?: string;
  @IsOptional() @IsString() @Length(8, 72) password?: string;
  @IsOptional() @IsBoolean() is_admin?: boolean;
}

export class ProvisionChannel {
  @IsChannelName() name!: string;
  @IsOptional() @IsBoolean() is_private?: boolean;
  @IsOptional() @IsString() @MaxLength(250) topic?: string;
  @IsOptional() @IsString() @MaxLength(250) purpose?: string;
  /** Names or ids of users. */
  @IsOptional() @IsArray() @ArrayMaxSize(MANY) @IsString({ each: true }) @IsNotEmpty({ each: true }) members?: string[];
}

/** messaging.md E.10; every part is optional. */
export class ProvisionBody {
  @IsOptional() @IsObject() @ValidateNested() @Type(() => ProvisionTeam) team?: ProvisionTeam;
  @IsOptional() @IsObject() @ValidateNested() @Type(() => ProvisionAdmin) admin?: ProvisionAdmin;
  @IsOptional() @IsObject() @ValidateNested() @Type(() => ProvisionApp) app?: ProvisionApp;
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MANY)
  @ValidateNested({ each: true })
  @Type(() => ProvisionUser)
  users?: ProvisionUser[];
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MANY)
  @ValidateNested({ each: true })
  @Type(() => ProvisionChannel)
  channels?: ProvisionChannel[];
}
