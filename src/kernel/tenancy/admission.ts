import { FairQueue } from '../limits/fair-queue.js';
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

/** How many calls of a tenant may run concurrently. */
interface Line {
  readonly tenant: Tenant;
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
  private readonly queue: FairQueue<Tenant>;
  /** In the order of their arrival. */
  private readonly waitingTurns = new Set<Turn>();
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
    later: (serve: () => void) => void = setImmediate,
  ) {
    this.concurrentTenants = new ConcurrentTenants(now);
    this.queue = new FairQueue({ laneWidth: (tenant) => this.levelOf(tenant), later });
  }

  /** Whether the event loop need not be measured. */
  get isCalm(): boolean {
    return !this.isCrowded;
  }

  /** The number of waiting calls. */
  get waiting(): number {
    return this.waitingTurns.size;
  }

  /** How many calls of a tenant may run concurrently. */
  levelOf(tenant: Tenant): number {
    return this.lines.get(tenant)?.level ?? Infinity;
  }

  /** Registers a call. Undefined: too many of its tenant's calls wait. */
  enter(tenant: Tenant): Turn | undefined {
    this.concurrentTenants.note(tenant);
    const line = this.lineOf(tenant);
    const mustWait = !this.queue.begins(tenant);
    if (mustWait && !this.mayWait(tenant)) return undefined;
    const turn = new Turn(this, line, this.now());
    if (mustWait) this.await(turn);
    else turn.admit();
    this.watch(tenant);
    return turn;
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
      const isWaiting = this.queue.waitingIn(line.tenant) > 0;
      if (isAlone) removeLimit(line);
      else if (mayGrow || (!isLate && !line.wasLate)) grow(line, isWaiting);
      if (this.queue.runningIn(line.tenant) > UNWATCHED || isWaiting || line.wasLate) this.isCrowded = true;
      else this.tidy(line);
    }
    this.queue.serve();
  }

  /** @internal The call goes on, whatever the level. */
  goOn(turn: Turn): void {
    // its line may have been removed while it was outside
    turn.line = this.lineOf(turn.line.tenant);
    this.queue.force(turn.line.tenant);
  }

  /** @internal */
  end(turn: Turn): void {
    this.queue.leave(turn.line.tenant);
    this.tidy(turn.line);
  }

  /** @internal The call turned out to belong to another tenant. */
  move(turn: Turn, tenant: Tenant): void {
    this.concurrentTenants.note(tenant);
    const line = this.lineOf(tenant);
    this.queue.force(tenant);
    this.watch(tenant);
    this.end(turn);
    turn.line = line;
  }

  private await(turn: Turn): void {
    this.waitingTurns.add(turn);
    const withdraw = this.queue.wait(turn.line.tenant, () => {
      this.waitingTurns.delete(turn);
      turn.admit();
    });
    turn.withdraw = () => {
      this.waitingTurns.delete(turn);
      withdraw();
    };
  }

  private watch(tenant: Tenant): void {
    if (this.queue.runningIn(tenant) > UNWATCHED) this.isCrowded = true;
  }

  private lineOf(tenant: Tenant): Line {
    let line = this.lines.get(tenant);
    if (line) return line;
    const level = this.concurrentTenants.isAlone ? Infinity : AT_FIRST;
    line = { tenant, level, wasLate: false };
    this.lines.set(tenant, line);
    return line;
  }

  private mayWait(tenant: Tenant): boolean {
    const forStore = typeof tenant === 'number' ? this.waitingForStore(tenant) : 0;
    return this.queue.waitingIn(tenant) + forStore < MAX_WAITING;
  }

  /** Those with about the most calls; tenants with few keep their level. */
  private halve(): void {
    const callsOf = ({ tenant }: Line): number => this.queue.runningIn(tenant) + this.queue.waitingIn(tenant);
    let most = 0;
    for (const line of this.lines.values()) most = Math.max(most, callsOf(line));
    for (const line of this.lines.values()) {
      const calls = callsOf(line);
      if (calls <= FEW || calls * 2 < most) continue;
      const running = this.queue.runningIn(line.tenant);
      line.level = Math.max(ALWAYS, Math.floor(Math.min(line.level, running, AT_FIRST) / 2));
      line.wasLate = true;
    }
  }

  /** Dismisses calls that have waited too long. */
  private expire(now: number): void {
    for (const turn of this.waitingTurns) {
      if (now - turn.since <= LONGEST_WAIT_MS) return;
      turn.refuse();
    }
  }

  private tidy({ tenant, wasLate }: Line): void {
    if (!wasLate && this.queue.runningIn(tenant) === 0 && this.queue.waitingIn(tenant) === 0) this.lines.delete(tenant);
  }
}

function grow(line: Line, isWaiting: boolean): void {
  const isSlow = line.wasLate && isWaiting;
  line.level = isSlow ? line.level + 1 : line.level * 2;
  if (line.level > NO_LEVEL) removeLimit(line);
}

function removeLimit(line: Line): void {
  line.level = Infinity;
  line.wasLate = false;
}

/** The turn of a call among those of its tenant. */
export class Turn {
  private state: 'waiting' | 'at work' | 'outside' | 'left' = 'waiting';
  private outer = 0;
  /** @internal Takes it out of its line while it waits. */
  withdraw: () => void = () => undefined;
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
    if (this.state === 'at work') this.admission.move(this, tenant);
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
    if (this.state !== 'outside' || --this.outer > 0) return;
    this.state = 'at work';
    this.admission.goOn(this);
  }

  /** The call was answered, or its caller has hung up. */
  leave(): void {
    const { state } = this;
    this.state = 'left';
    if (state === 'at work') this.admission.end(this);
    else if (state === 'waiting') this.withdraw();
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
    this.withdraw();
    this.decided?.(false);
  }
}
