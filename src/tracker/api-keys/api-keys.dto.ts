import { Text } from '../graphql/rules.js';
import { IsString } from 'class-validator';

/** docs/reference/tracker.md#rest. */
export class CreateApiKeyBody {
  @IsString() @Text() label!: string;
}
