import { LongWork } from '../../kernel/clock/long-work.js';
import { answerTooLarge, type TrackerError } from '../values/errors.js';

/**
 * How many statements of one request read pages concurrently: later ones first see whether there is room for theirs.
 */
const CONCURRENT_READS = 2;

/** Rows with their size. */
interface Read<R> {
  readonly found: readonly R[];
  readonly bytes: number;
}

/**
 * The size of one answer so far, in bytes of the rows read for it. Pages of issues are cheap in complexity however long
 * their texts are, so this limits what a request can make the server hold.
 */
export class AnswerMeter {
  private bytes = 0;
  private reading = 0;
  private refusal: TrackerError | undefined;
  private readonly waiting: (() => void)[] = [];
  private readonly reads = new Map<string, Promise<Read<object>>>();

  /** @param limit bytes (`SVC_TRACKER_MAX_ANSWER`) */
  constructor(readonly limit: number) {}

  /**
   * Reads rows when it is their turn. A read that another alias repeats meanwhile is done once and counted each time.
   * @param key the statement with its values
   * @throws TrackerError (docs/reference/tracker.md#errors row 15) once the answer is larger than allowed
   */
  async read<R extends object>(key: string, rows: () => Promise<R[]>): Promise<R[]> {
    let reading = this.reads.get(key) as Promise<Read<R>> | undefined;
    if (!reading) {
      reading = this.inTurn(rows);
      this.reads.set(key, reading);
      const isOver = (): void => void this.reads.delete(key);
      reading.then(isOver, isOver);
    }
    const { found, bytes } = await reading;
    this.bytes += bytes;
    this.refuseIfOver();
    return [...found];
  }

  private async inTurn<R extends object>(rows: () => Promise<R[]>): Promise<Read<R>> {
    if (this.reading >= CONCURRENT_READS) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.reading++;
    try {
      this.refuseIfOver();
      const found = await rows();
      return { found, bytes: found.reduce((sum, row) => sum + sizeOfRow(row), 0) };
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.reading--;
    }
  }

  /** The refusal of an answer about to be serialised: a row that was read once may appear in it many times. */
  async refusalOf(data: Readonly<Record<string, unknown>> | null | undefined): Promise<TrackerError | undefined> {
    const work = new LongWork();
    const sizes = new Map<unknown, number>();
    let size = 0;
    for (const value of Object.values(data ?? {})) {
      let own = sizes.get(value);
      if (own === undefined) {
        await work.pause();
        sizes.set(value, (own = sizeWithin(value, this.limit - size)));
      }
      size += own;
      if (size > this.limit) return answerTooLarge(this.limit);
    }
    return undefined;
  }

  private refuseIfOver(): void {
    // every later alias gets the same error
    if (this.bytes > this.limit) throw (this.refusal ??= answerTooLarge(this.limit));
  }
}

/** A text's bytes; for a short one its characters, as exactness costs more than it is worth there. */
const sizeOfText = (text: string): number => (text.length > 1_000 ? Buffer.byteLength(text) : text.length);

function sizeOfRow(row: object): number {
  let size = 0;
  for (const value of Object.values(row)) size += typeof value === 'string' ? sizeOfText(value) : 8;
  return size;
}

/** The approximate size of a value as JSON; stops counting once it is over `limit`. */
function sizeWithin(value: unknown, limit: number): number {
  if (typeof value === 'string') return sizeOfText(value) + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let size = 2;
  if (Array.isArray(value)) {
    for (const element of value) {
      size += sizeWithin(element, limit - size) + 1;
      if (size > limit) return size;
    }
    return size;
  }
  if (value instanceof Date) return 26;
  for (const key in value) {
    size += key.length + 4 + sizeWithin((value as Record<string, unknown>)[key], limit - size);
    if (size > limit) return size;
  }
  return size;
}
