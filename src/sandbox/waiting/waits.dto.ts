import { IsOptional } from 'class-validator';
import { isObject } from '../../kernel/matchers/matcher.js';
import { IsMatcher, OneOf, TextThat, TrueOrFalse, WholeNumber } from '../access/body-rules.js';
import { WAITS, type WaitFor } from './wait-kinds.js';

/** What somebody waits for. */
export class WaitBody {
  @OneOf(WAITS) for!: WaitFor;
  @IsOptional() @IsMatcher(isObject, 'must be an object') where?: object | null;
  /** `start`, `now`, `mark` or a cursor. */
  @IsOptional() @TextThat(() => true, 'must be a cursor, start or now') after?: string | null;
  /** With `message`: an ephemeral one, or one that is stored (as without it). */
  @IsOptional() @TrueOrFalse() ephemeral?: boolean | null;
  @IsOptional() @WholeNumber(1, 1_000) count?: number | null;
  @IsOptional() @WholeNumber(0, 60_000) timeout_ms?: number | null;
  @IsOptional() @WholeNumber(0, 60_000) quiet_ms?: number | null;
}
