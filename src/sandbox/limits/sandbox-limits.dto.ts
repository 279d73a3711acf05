import { IsOptional } from 'class-validator';
import { Text } from '../access/body-rules.js';

/** Of which allowances the used part is given back; of all where nothing is said. */
export class ResetLimitsBody {
  @IsOptional() @Text() method?: string | null;
  @IsOptional() @Text() app?: string | null;
  @IsOptional() @Text() channel?: string | null;
}
