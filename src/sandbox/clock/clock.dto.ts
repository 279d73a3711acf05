import { MayBeAbsent, OneOf, Rule, TrueOrFalse, WholeNumber, type Fault } from '../access/body-rules.js';
import { isDuration, isInTimes, momentOf, OUT_OF_TIMES, secondsOf } from './moments.js';

/** The longest tick of a frozen clock: a day. */
export const MAX_TICK_MS = 86_400_000;

/** A moment, as `momentOf` reads it, that a sandbox's clock can show. */
export const IsMoment = (): PropertyDecorator =>
  Rule((value) => {
    const moment = momentOf(value);
    if (moment === undefined) return 'must be an ISO time or seconds since 1970';
    return isInTimes(moment) ? undefined : OUT_OF_TIMES;
  });

/** Absent parts stay as they are. */
export class SetClockBody {
  @MayBeAbsent() @IsMoment() now?: string | number;
  @MayBeAbsent() @TrueOrFalse() frozen?: boolean;
  @MayBeAbsent() @OneOf(['wall', 'sandbox'], 'must be wall or sandbox') sign_with?: 'wall' | 'sandbox';
  @MayBeAbsent() @WholeNumber(0, MAX_TICK_MS) tick_ms?: number;
}

function faultOfSeconds(seconds: unknown, { by }: Readonly<Record<string, unknown>>): string | Fault[] | undefined {
  if ((seconds === undefined) === (by === undefined)) return [{ at: null, what: 'give one of seconds and by' }];
  return seconds === undefined || isDuration(seconds) ? undefined : 'must be a number, over 0 and at most 10 years';
}

/** `{"seconds":90}` or `{"by":"1h30m"}`. */
export class AdvanceClockBody {
  @Rule(faultOfSeconds) seconds?: number;
  @MayBeAbsent()
  @Rule((by) => (isDuration(secondsOf(by)) ? undefined : 'must be a duration like 1h30m, over 0 and at most 10 years'))
  by?: string;
}
