import { IsOptional, IsString } from 'class-validator';
import { Reference, Text } from '../../graphql/rules.js';

/** docs/reference/tracker.md#release-access-keys. */
export class CreateReleaseAccessKeyBody {
  @IsString() @Reference() pipelineId!: string;
  @IsOptional() @IsString() @Text() label?: string;
}
