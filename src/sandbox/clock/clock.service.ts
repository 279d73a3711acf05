import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock, LATEST_SANDBOX_MICROS } from '../../kernel/clock/clock.js';
import type { SandboxTime } from '../../kernel/clock/request-sandbox.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { CallSteps, type AfterCall } from '../../kernel/sandbox/call-steps.js';
import { SandboxDues } from '../../kernel/sandbox/sandbox-dues.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { Sandbox } from '../../kernel/sandbox/sandbox.entity.js';
import { NEWEST_ROW } from '../../tenants/both-products.queries.js';
import { SandboxAccess, type SandboxCall } from '../access/sandbox-access.js';
import type { SandboxRow } from '../access/sandbox-row.queries.js';
import { SandboxJournal, SandboxParts } from '../ports.js';
import { SandboxView } from '../sandboxes/sandbox-view.js';
import { Timeline } from '../timeline/timeline.service.js';
import type { AdvanceClockBody, SetClockBody } from './clock.dto.js';
import { HOLD_CLOCK } from './clock.queries.js';
import { isInTimes, momentOf, OUT_OF_TIMES, secondsOf } from './moments.js';

/** How often the clock stops on its way forward, so that what is due happens at its time. */
const MAX_STOPS = 1_000;
/** How long the caller waits for what becomes due; what takes longer happens afterwards. */
const MAX_MS = 60_000;
/** The same for whoever waits for the answer to a call. */
const MAX_TICK_MS = 20_000;

/** The new state of a clock. */
interface ClockTarget {
  readonly time: SandboxTime | null;
  readonly signWith?: 'wall' | 'sandbox';
  readonly tickMs?: number;
}

interface ClockRequest {
  readonly now?: number;
  readonly frozen?: boolean;
  readonly signWith?: 'wall' | 'sandbox';
  readonly tickMs?: number;
}

/** The time of a sandbox (docs/reference/sandboxes.md#clock). */
@Injectable()
export class SandboxClocks {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly reader: SandboxReader,
    private readonly access: SandboxAccess,
    private readonly view: SandboxView,
    private readonly journal: SandboxJournal,
    private readonly parts: SandboxParts,
    private readonly dues: SandboxDues,
    private readonly timeline: Timeline,
    steps: CallSteps,
  ) {
    steps.onAnswered((flags, step) => this.afterCall(flags, step));
  }

  show({ flags }: SandboxCall): object {
    return this.view.clockOf(flags);
  }

  /** What the clock shows now, in milliseconds since 1970; null: the sandbox is gone. */
  async nowOf({ sandbox }: SandboxCall): Promise<number | null> {
    const flags = this.reader.read((await this.access.ofTenant(sandbox.tenantId))?.flags ?? null);
    return flags && Math.floor(this.micros(flags.time) / 1000);
  }

  /** @throws BadRequestException; RestError 409 clock_would_go_back */
  async put(call: SandboxCall, body: SetClockBody): Promise<object> {
    const wanted = requestOf(body);
    return this.move(call, (flags) => {
      const now = wanted.now ?? this.micros(flags.time);
      const frozen = wanted.frozen ?? isFrozen(flags.time);
      refuseRunning(frozen, wanted, flags);
      if (frozen) return { time: { offsetMicros: 0, frozenAt: now }, ...wanted };
      const keeps = wanted.now === undefined && !isFrozen(flags.time);
      const time = keeps ? flags.time : { offsetMicros: now - this.clock.wallMicros(), frozenAt: null };
      // a clock that runs goes on by itself
      return { time, ...wanted, tickMs: 0 };
    });
  }

  /**
   * Advances the clock; resolves when what became due has happened.
   * @throws BadRequestException
   */
  async advance(call: SandboxCall, { seconds, by }: AdvanceClockBody): Promise<object> {
    const micros = Math.round((seconds ?? (secondsOf(by) as number)) * 1e6);
    let went = 0;
    return this.move(
      call,
      ({ time }) => ({ time: ahead(time, micros - went) }),
      (gone) => (went += gone),
    );
  }

  /**
   * Returns to real time.
   * @throws RestError 409 clock_would_go_back
   */
  async reset(call: SandboxCall): Promise<object> {
    return this.move(call, (flags) => {
      refuseRunning(false, {}, flags);
      return { time: null, tickMs: 0 };
    });
  }

  /**
   * A call was answered: a frozen clock goes on by its tick, and what became due on the way happens, but for deliveries:
   * whoever is answered may be an app that is asked for an answer itself.
   */
  private readonly afterCall: AfterCall = async (called, { endTurn, ticks }) => {
    const { tenantId, tickMs } = called;
    // calls that come together have all moved it, unless each has its turn
    const row = called.isDeterministic ? undefined : await this.access.ofTenant(tenantId);
    const known = row ? (this.reader.read(row.flags) as SandboxFlags) : called;
    const by = ticks && isFrozen(known.time) ? tickMs * 1000 : 0;
    const now = this.micros(known.time);
    const due = by > 0 ? await this.dues.next(tenantId, now) : await this.dues.nextAtOnce(tenantId, now);
    if (due === null || due > now + by) {
      if (by > 0) await this.db.write((tx) => this.goOn(tx, tenantId, by));
      return;
    }
    await endTurn();
    const sandbox = await this.access.ofTenant(tenantId);
    if (!sandbox) return;
    await this.timeline.complete(tenantId);
    const end = performance.now() + MAX_TICK_MS;
    let left = by;
    for (let reached = -1; performance.now() < end;) {
      const stop = await this.toNextDue(sandbox, ({ time }) => ({ time: ahead(time, left) }));
      if (stop === null || stop.due <= reached) break;
      reached = stop.due;
      left -= stop.gone;
      await this.dues.run(tenantId, end, { withLast: false });
      await this.timeline.complete(tenantId);
    }
    if (left > 0) await this.db.write((tx) => this.goOn(tx, tenantId, left));
    await this.dues.run(tenantId, end, { withLast: false });
  };

  /** A frozen clock, by this many microseconds. */
  private async goOn(tx: Tx, tenantId: number, by: number): Promise<void> {
    const flags = await this.hold(tx, tenantId);
    const time = ahead(flags.time, by);
    if (isFrozen(flags.time) && this.micros(time) <= LATEST_SANDBOX_MICROS)
      await this.write(tx, { tenantId }, flags, { time });
  }

  /** @param went called for each step of the way */
  private async move(
    { sandbox }: SandboxCall,
    to: (flags: SandboxFlags) => ClockTarget,
    went: (micros: number) => void = () => undefined,
  ): Promise<object> {
    // entries until now are recorded with the time until now
    await this.timeline.complete(sandbox.tenantId);
    const end = performance.now() + MAX_MS;
    let reached = -1;
    for (let stops = 0; stops < MAX_STOPS && performance.now() < end; stops++) {
      const stop = await this.toNextDue(sandbox, to);
      // what is due but does not happen in time is skipped
      if (stop === null || stop.due <= reached) break;
      reached = stop.due;
      went(stop.gone);
      await this.dues.run(sandbox.tenantId, end);
      await this.timeline.complete(sandbox.tenantId);
    }
    const by = await this.db.write((tx) => this.set(tx, sandbox, to));
    if (by > 0) await this.dues.run(sandbox.tenantId, end);
    const row = await this.access.again(sandbox);
    return this.view.clockOf(this.reader.read(row.flags) as SandboxFlags);
  }

  /**
   * Advances to the next time before the goal at which something is due, and returns the distance; null: there is none.
   */
  private async toNextDue(
    sandbox: SandboxRow,
    to: (flags: SandboxFlags) => ClockTarget,
  ): Promise<{ due: number; gone: number } | null> {
    const { tenantId } = sandbox;
    const known = this.reader.read((await this.access.ofTenant(tenantId))?.flags ?? null);
    if (!known) return null;
    const due = await this.dues.next(tenantId, this.micros(known.time));
    if (due === null || due >= this.micros(to(known).time)) return null;
    return this.db.write(async (tx) => {
      const flags = await this.hold(tx, tenantId);
      const by = Math.floor(Math.max(0, due - this.micros(flags.time)));
      if (by > 0) await this.write(tx, sandbox, flags, { time: ahead(flags.time, by) });
      return { due, gone: by };
    });
  }

  private async set(tx: Tx, sandbox: SandboxRow, to: (flags: SandboxFlags) => ClockTarget): Promise<number> {
    const flags = await this.hold(tx, sandbox.tenantId);
    const goal = to(flags);
    const after = this.micros(goal.time);
    if (!isInTimes(after)) throw new BadRequestException([`now ${OUT_OF_TIMES}`]);
    if (after < this.micros(flags.time)) await this.requireNotBehindEvents(tx, sandbox, after);
    const moved = await this.write(tx, sandbox, flags, goal);
    await this.journal.record(tx, sandbox.tenantId, 'clock', {
      now: new Date(after / 1000).toISOString(),
      frozen: isFrozen(goal.time),
    });
    return moved;
  }

  private async hold(tx: Tx, tenantId: number): Promise<SandboxFlags> {
    const [held] = await tx.query<{ flags: string }>(HOLD_CLOCK, [tenantId]);
    if (!held) throw new RestError(404, 'sandbox_not_found');
    return this.reader.read(held.flags) as SandboxFlags;
  }

  /** Returns how far the clock moved, in microseconds. */
  private async write(
    tx: Tx,
    { tenantId }: Pick<SandboxRow, 'tenantId'>,
    flags: SandboxFlags,
    { time, signWith, tickMs }: ClockTarget,
  ): Promise<number> {
    const [before, after] = [this.micros(flags.time), this.micros(time)];
    const clock = { clockOffset: time?.offsetMicros ?? 0, clockFrozenAt: time?.frozenAt ?? null };
    const more = { ...(signWith && { clockSignWith: signWith }), ...(tickMs !== undefined && { clockTickMs: tickMs }) };
    await tx.sql.update(Sandbox, { tenantId }, { ...clock, ...more });
    if (Math.abs(after - before) > 1_000 || isFrozen(time) !== isFrozen(flags.time)) {
      for (const move of this.parts.clockMoves) await move(tx, { tenantId }, { before, after, stands: isFrozen(time) });
    }
    return after - before;
  }

  /** Message timestamps must ascend. */
  private async requireNotBehindEvents(
    tx: Tx,
    { workspaceId, organizationId }: SandboxRow,
    micros: number,
  ): Promise<void> {
    const [row] = await tx.query<{ newest: number | null }>(NEWEST_ROW, [workspaceId, organizationId]);
    if (row && row.newest !== null && micros < Number(row.newest)) throw new RestError(409, 'clock_would_go_back');
  }

  private micros(time: SandboxTime | null): number {
    return this.clock.within(time, () => this.clock.nowMicros());
  }
}

const isFrozen = (time: SandboxTime | null): boolean => time !== null && time.frozenAt !== null;

/** The same clock, this much later. */
const ahead = (time: SandboxTime | null, micros: number): SandboxTime =>
  time !== null && time.frozenAt !== null
    ? { offsetMicros: 0, frozenAt: time.frozenAt + micros }
    : { offsetMicros: (time?.offsetMicros ?? 0) + micros, frozenAt: null };

/** @throws BadRequestException: calls repeat themselves, and a clock goes on with them, while it is frozen alone */
function refuseRunning(frozen: boolean, { tickMs }: ClockRequest, { isDeterministic }: SandboxFlags): void {
  if (frozen) return;
  if (isDeterministic) throw new BadRequestException(['frozen: the clock of a deterministic sandbox stands']);
  if (tickMs !== undefined && tickMs > 0) throw new BadRequestException(['tick_ms: needs a frozen clock']);
}

const requestOf = ({ now, frozen, sign_with: signWith, tick_ms: tickMs }: SetClockBody): ClockRequest => ({
  ...(now !== undefined && { now: momentOf(now) as number }),
  ...(frozen !== undefined && { frozen }),
  ...(signWith !== undefined && { signWith }),
  ...(tickMs !== undefined && { tickMs }),
});
