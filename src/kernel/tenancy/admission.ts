import { Company } from './company.js';

/** A tenant by the id of its share, or who has not been traced to one yet, by credential or address. */
export type Tenant = number | string;

/** Calls of a tenant that are always at work, however late everything is. */
const ALWAYS = 1;
/** With no more of anybody's at work there is nothing to watch. */
const UNWATCHED = 2;
/** A tenant with no more calls than this, at work and waiting, is never held back further. */
const FEW = 6;
/** Calls of a tenant that wait, here and for the store; with more, its next ones are refused. */
const MOST_WAITING = 200;
/** How long a call waits here, in milliseconds: as long as a statement may take. */
const LONGEST_WAIT_MS = 5_000;
/** The event loop is late when it comes to a timer so many milliseconds after its time. */
const LATE_MS = 10;
/** Above this share of the time it is busy: a call comes in several turns, and each waits behind what is at work. */
const BUSY = 0.8;
/** While it is not late, a tenant's level grows this often, in milliseconds. */
const GROW_MS = 100;
/** Calls of a tenant that begin together, before it is known what they do to the event loop. */
const AT_FIRST = 16;
/** Beyond this level no call is held back. */
const NO_LEVEL = 1_000;

/** The calls of one tenant. */
interface Line {
  readonly tenant: Tenant;
  atWork: number;
  readonly waiting: Place[];
  /** How many may be at work at once. */
  level: number;
  /** Whether its calls were too many before: its level grows slowly then. */
  wasLate: boolean;
}

/**
 * How many calls of a tenant are at work at once: as many as come, while no other tenant calls. While others do, sixteen
 * begin together, and twice as many each time the event loop is in time; when it is late or busy, those with the most
 * calls may have half as many at work each time it is looked at, then one more every 100 ms. What is beyond waits in its tenant's own
 * line, and lines are served in turn. So a tenant that does its worst slows down itself, and one that asks now and then
 * finds the server free (docs/reference/limits.md#overload).
 */
export class Admission {
  private readonly lines = new Map<Tenant, Line>();
  private isServing = false;
  private isCrowded = false;
  private readonly company: Company;
  private grownAt = -Infinity;

  /**
   * @param waitingForStore how many of a tenant wait for the store: they count among those that may wait
   * @param later what serves the lines runs in a turn of its own
   */
  constructor(
    private readonly waitingForStore: (tenant: number) => number = () => 0,
    private readonly now: () => number = () => performance.now(),
    private readonly later: (serve: () => void) => void = setImmediate,
  ) {
    this.company = new Company(now);
  }

  /** Whether there is nothing to watch the event loop for. */
  get isCalm(): boolean {
    return !this.isCrowded;
  }

  /** How many calls wait. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.lines.values()) sum += waiting.length;
    return sum;
  }

  /** How many calls of a tenant may be at work at once. */
  levelOf(tenant: Tenant): number {
    return this.lines.get(tenant)?.level ?? Infinity;
  }

  /** A call comes. Undefined: too many of its tenant wait. */
  enter(tenant: Tenant): Place | undefined {
    this.company.note(tenant);
    const line = this.lineOf(tenant);
    const mustWait = line.waiting.length > 0 || line.atWork >= line.level;
    if (mustWait && !this.mayWait(line)) return undefined;
    const place = new Place(this, line, this.now());
    if (mustWait) line.waiting.push(place);
    else this.begin(place);
    if (line.atWork > UNWATCHED) this.isCrowded = true;
    return place;
  }

  /**
   * Looked at every few milliseconds while not calm.
   * @param lateMs how late the event loop was
   * @param busy the share of the time lately in which it was at work; 0 when that is not known
   */
  tick(lateMs: number, busy = 0): void {
    const now = this.now();
    this.expire(now);
    const { isAlone } = this.company;
    const isLate = (lateMs > LATE_MS || busy > BUSY) && !isAlone;
    if (isLate) this.halve();
    const mayGrow = !isLate && now - this.grownAt >= GROW_MS;
    if (isLate || mayGrow) this.grownAt = now;
    this.isCrowded = false;
    for (const line of this.lines.values()) {
      if (isAlone) lift(line);
      else if (mayGrow || (!isLate && !line.wasLate)) grow(line);
      if (line.atWork > UNWATCHED || line.waiting.length > 0 || line.wasLate) this.isCrowded = true;
      else this.tidy(line);
    }
    this.serveLater();
  }

  /** @internal */
  begin(place: Place): void {
    // its line may have been given up while it was outside
    place.line = this.lineOf(place.line.tenant);
    place.line.atWork++;
    place.admit();
  }

  /** @internal */
  end(place: Place): void {
    place.line.atWork--;
    if (place.line.waiting.length > 0) this.serveLater();
    else this.tidy(place.line);
  }

  /** @internal */
  forget(place: Place): void {
    const { waiting } = place.line;
    waiting.splice(waiting.indexOf(place), 1);
  }

  /** @internal It turned out whose call it is. */
  move(place: Place, tenant: Tenant): Line {
    this.company.note(tenant);
    const line = this.lineOf(tenant);
    line.atWork++;
    if (line.atWork > UNWATCHED) this.isCrowded = true;
    this.end(place);
    return line;
  }

  private lineOf(tenant: Tenant): Line {
    let line = this.lines.get(tenant);
    if (line) return line;
    const level = this.company.isAlone ? Infinity : AT_FIRST;
    line = { tenant, atWork: 0, waiting: [], level, wasLate: false };
    this.lines.set(tenant, line);
    return line;
  }

  private mayWait({ tenant, waiting }: Line): boolean {
    return waiting.length + (typeof tenant === 'number' ? this.waitingForStore(tenant) : 0) < MOST_WAITING;
  }

  /** Those with about the most calls; who has few keeps what they have. */
  private halve(): void {
    let most = 0;
    for (const { atWork, waiting } of this.lines.values()) most = Math.max(most, atWork + waiting.length);
    for (const line of this.lines.values()) {
      const calls = line.atWork + line.waiting.length;
      if (calls <= FEW || calls * 2 < most) continue;
      line.level = Math.max(ALWAYS, Math.floor(Math.min(line.level, line.atWork, AT_FIRST) / 2));
      line.wasLate = true;
    }
  }

  /** Who has waited for too long is sent away. */
  private expire(now: number): void {
    for (const { waiting } of this.lines.values()) {
      while (waiting[0] && now - waiting[0].since > LONGEST_WAIT_MS) waiting.shift()?.refuse();
    }
  }

  private serveLater(): void {
    if (this.isServing) return;
    this.isServing = true;
    this.later(() => {
      this.isServing = false;
      this.serve();
    });
  }

  /** One of each line in turn, until no line has both somebody waiting and a place. */
  private serve(): void {
    for (let served = true; served;) {
      served = false;
      for (const line of this.lines.values()) {
        if (line.atWork >= line.level) continue;
        const next = line.waiting.shift();
        if (!next) continue;
        this.begin(next);
        served = true;
      }
    }
  }

  private tidy({ tenant, atWork, waiting, wasLate }: Line): void {
    if (atWork === 0 && waiting.length === 0 && !wasLate) this.lines.delete(tenant);
  }
}

function grow(line: Line): void {
  const isSlow = line.wasLate && line.waiting.length > 0;
  line.level = isSlow ? line.level + 1 : line.level * 2;
  if (line.level > NO_LEVEL) lift(line);
}

function lift(line: Line): void {
  line.level = Infinity;
  line.wasLate = false;
}

/** A call's place among those of its tenant. */
export class Place {
  private state: 'waiting' | 'at work' | 'outside' | 'left' = 'waiting';
  private outer = 0;
  private decided: ((isAdmitted: boolean) => void) | undefined;

  constructor(
    private readonly admission: Admission,
    public line: Line,
    readonly since: number,
  ) {}

  get isWaiting(): boolean {
    return this.state === 'waiting';
  }

  /** Called once: with false when it has waited for too long. Never when its caller goes away. */
  whenDecided(decided: (isAdmitted: boolean) => void): void {
    this.decided = decided;
  }

  /** It turned out whose call it is. */
  belongsTo(tenant: Tenant): void {
    if (this.line.tenant === tenant) return;
    if (this.state === 'at work') this.line = this.admission.move(this, tenant);
  }

  /** It waits for something outside and uses no resources meanwhile. */
  stepOut(): void {
    if (this.state === 'at work') {
      this.state = 'outside';
      this.admission.end(this);
    }
    if (this.state === 'outside') this.outer++;
  }

  /** It goes on, once for each time that it stepped out, and at once: what it waited for may not wait in its turn. */
  stepIn(): void {
    if (this.state === 'outside' && --this.outer === 0) this.admission.begin(this);
  }

  /** It is answered, or its caller has gone. */
  leave(): void {
    const { state } = this;
    this.state = 'left';
    if (state === 'at work') this.admission.end(this);
    else if (state === 'waiting') this.admission.forget(this);
  }

  /** @internal */
  admit(): void {
    this.state = 'at work';
    this.decided?.(true);
    this.decided = undefined;
  }

  /** @internal */
  refuse(): void {
    this.state = 'left';
    this.decided?.(false);
  }
}
