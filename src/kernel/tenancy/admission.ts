import { ConcurrentTenants } from './concurrent-tenants.js';

/** A tenant by the id of its share, or a caller not yet traced to one, by credential or address. */
export type Tenant = number | string;

/** Calls of a tenant that always run, however late everything is. */
const ALWAYS = 1;
/** If no tenant has more than this many running, the event loop is not measured. */
const UNWATCHED = 2;
/** A tenant with no more calls than this, running and waiting, is never held back further. */
const FEW = 6;
/** Calls of a tenant that may wait, here and for the store; beyond it further ones are refused. */
const MAX_WAITING = 200;
/** How long a call waits here, in milliseconds: as long as a statement may take. */
const LONGEST_WAIT_MS = 5_000;
/** The event loop is late when a timer fires this many milliseconds after its time. */
const LATE_MS = 10;
/** Above this share the event loop is busy: a call needs several turns, each of which waits behind running work. */
const BUSY = 0.8;
/** While the event loop is in time, a tenant's level grows this often, in milliseconds. */
const GROW_MS = 100;
/** Calls of a tenant that start together, before their effect on the event loop is known. */
const AT_FIRST = 16;
/** Above this level no call is held back. */
const NO_LEVEL = 1_000;

/** The calls of one tenant. */
interface Line {
  readonly tenant: Tenant;
  atWork: number;
  readonly waiting: Place[];
  /** How many may run concurrently. */
  level: number;
  /** Whether its level was reduced before: it then grows slowly. */
  wasLate: boolean;
}

/**
 * How many calls of a tenant run concurrently: any number while no other tenant calls. While others do, sixteen start
 * together, and twice as many each time the event loop is in time; when it is late or busy, the level of the tenants
 * with the most calls is halved at each measurement, then grows by one every 100 ms. Further calls wait in their
 * tenant's own line, and lines are served in turn. So a tenant with excessive load slows down itself, and one that
 * calls now and then finds the server free (docs/reference/limits.md#overload).
 */
export class Admission {
  private readonly lines = new Map<Tenant, Line>();
  private isServing = false;
  private isCrowded = false;
  private readonly concurrentTenants: ConcurrentTenants;
  private grownAt = -Infinity;

  /**
   * @param waitingForStore how many of a tenant wait for the store: they count among those that may wait
   * @param later defers serving the lines to a turn of its own
   */
  constructor(
    private readonly waitingForStore: (tenant: number) => number = () => 0,
    private readonly now: () => number = () => performance.now(),
    private readonly later: (serve: () => void) => void = setImmediate,
  ) {
    this.concurrentTenants = new ConcurrentTenants(now);
  }

  /** Whether the event loop need not be measured. */
  get isCalm(): boolean {
    return !this.isCrowded;
  }

  /** The number of waiting calls. */
  get waiting(): number {
    let sum = 0;
    for (const { waiting } of this.lines.values()) sum += waiting.length;
    return sum;
  }

  /** How many calls of a tenant may run concurrently. */
  levelOf(tenant: Tenant): number {
    return this.lines.get(tenant)?.level ?? Infinity;
  }

  /** Registers a call. Undefined: too many of its tenant's calls wait. */
  enter(tenant: Tenant): Place | undefined {
    this.concurrentTenants.note(tenant);
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
   * To be called every few milliseconds while not calm.
   * @param lateMs how late the event loop was
   * @param busy the recent share of busy time; 0 when unknown
   */
  tick(lateMs: number, busy = 0): void {
    const now = this.now();
    this.expire(now);
    const { isAlone } = this.concurrentTenants;
    const isLate = (lateMs > LATE_MS || busy > BUSY) && !isAlone;
    if (isLate) this.halve();
    const mayGrow = !isLate && now - this.grownAt >= GROW_MS;
    if (isLate || mayGrow) this.grownAt = now;
    this.isCrowded = false;
    for (const line of this.lines.values()) {
      if (isAlone) removeLimit(line);
      else if (mayGrow || (!isLate && !line.wasLate)) grow(line);
      if (line.atWork > UNWATCHED || line.waiting.length > 0 || line.wasLate) this.isCrowded = true;
      else this.tidy(line);
    }
    this.serveLater();
  }

  /** @internal */
  begin(place: Place): void {
    // its line may have been removed while it was outside
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

  /** @internal The call turned out to belong to another tenant. */
  move(place: Place, tenant: Tenant): Line {
    this.concurrentTenants.note(tenant);
    const line = this.lineOf(tenant);
    line.atWork++;
    if (line.atWork > UNWATCHED) this.isCrowded = true;
    this.end(place);
    return line;
  }

  private lineOf(tenant: Tenant): Line {
    let line = this.lines.get(tenant);
    if (line) return line;
    const level = this.concurrentTenants.isAlone ? Infinity : AT_FIRST;
    line = { tenant, atWork: 0, waiting: [], level, wasLate: false };
    this.lines.set(tenant, line);
    return line;
  }

  private mayWait({ tenant, waiting }: Line): boolean {
    return waiting.length + (typeof tenant === 'number' ? this.waitingForStore(tenant) : 0) < MAX_WAITING;
  }

  /** Those with about the most calls; tenants with few keep their level. */
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

  /** Dismisses calls that have waited too long. */
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

  /** Starts one of each line in turn, until no line has both a waiting call and a free place. */
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
  if (line.level > NO_LEVEL) removeLimit(line);
}

function removeLimit(line: Line): void {
  line.level = Infinity;
  line.wasLate = false;
}

/** The place of a call among those of its tenant. */
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

  /** Called once; with false when the call has waited too long. Never called when its caller hangs up. */
  whenDecided(decided: (isAdmitted: boolean) => void): void {
    this.decided = decided;
  }

  /** The call turned out to belong to another tenant. */
  belongsTo(tenant: Tenant): void {
    if (this.line.tenant === tenant) return;
    if (this.state === 'at work') this.line = this.admission.move(this, tenant);
  }

  /** The call waits for something outside and uses no resources meanwhile. */
  stepOut(): void {
    if (this.state === 'at work') {
      this.state = 'outside';
      this.admission.end(this);
    }
    if (this.state === 'outside') this.outer++;
  }

  /**
   * The call continues at once; called once for each time it stepped out. What it waited for may not be able to wait
   * for its turn.
   */
  stepIn(): void {
    if (this.state === 'outside' && --this.outer === 0) this.admission.begin(this);
  }

  /** The call was answered, or its caller has hung up. */
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
