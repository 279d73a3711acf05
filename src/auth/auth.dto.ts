import { IsEmail, IsNotEmpty, IsOptional, IsString, Length, MaxLength } from 'class-validator';

/** docs/reference/control-plane.md#accounts, docs/reference/control-plane.md#accounts. */
export class SignupBody {
  @IsEmail() @MaxLength(254) email!: string;
  @IsString() @Length(8, 72) password!: string;
  @IsOptional() @IsString() @Length(1, 80) name?: string;
  @IsOptional() @IsString() team_id?: string;
}

export class LoginBody {
  @IsString() @IsNotEmpty() email!: string;
  @IsString() @IsNotEmpty() password!: string;
  @IsOptional() @IsString() team_id?: string;
}

export class RefreshBody {
  @IsString() @IsNotEmpty() refreshToken!: string;
}
