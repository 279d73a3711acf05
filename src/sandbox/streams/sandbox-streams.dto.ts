import { IsOptional } from 'class-validator';
import { Text } from '../access/body-rules.js';

/** Which streams expire; all open ones where nothing is said. */
export class ExpireStreamsBody {
  @IsOptional() @Text() channel?: string | null;
  @IsOptional() @Text() ts?: string | null;
}
