import { IsNotEmpty, IsOptional, IsString } from 'class-validator';

/** Which of this browser's workspaces is meant. */
export class TeamBody {
  @IsOptional() @IsString() team_id?: string;
}

export class LinkBody {
  @IsString() @IsNotEmpty() key!: string;
}
