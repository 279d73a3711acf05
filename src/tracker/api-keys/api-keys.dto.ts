import { Text } from '../graphql/rules.js';
import { IsString } from 'class-validator';

/** tracker.md h.3. */
export class CreateApiKeyBody {
  @IsString() @Text() label!: string;
}
