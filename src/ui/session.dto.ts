import { IsNotEmpty, IsOptional, IsString } from 'class-validator';

/** Selects one of this browser's workspaces. */
export class TeamBody {
  @IsOptional() @IsString() team_id?: string;
}

export class LinkBody {
  @IsString() @IsNotEmpty() key!: string;
}
