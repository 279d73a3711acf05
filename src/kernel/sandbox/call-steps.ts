import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.js';
import { enterDraw, requests, type CallStep } from '../clock/request-sandbox.js';
import { coalesce } from '../database/coalesce.js';
import { Db } from '../database/db.js';
import { currentCall } from '../http/call-context.js';
import type { OwnClient } from '../http/own-calls.js';
import { Log } from '../log/log.js';
import type { SandboxFlags } from './sandbox-flags.js';
import { Turns } from './turns.js';
import { NUMBER_CALLS } from './turns.queries.js';

/** What follows an answered call of a sandbox whose clock goes on with each, or in which one call follows the other. */
export type AfterCall = (sandbox: SandboxFlags, step: { endTurn(): Promise<void>; ticks: boolean }) => Promise<void>;

/** A call that is about to have its effect. */
interface Beginning {
  /** It changes nothing, so that it makes nothing up. */
  readonly isRead?: boolean;
  /** It is none of an app, a person or a key: the clock does not go on with it. */
  readonly isOperators?: boolean;
  /** What it sets off by a script is waited for, though the call is the operator's. */
  readonly setsOff?: boolean;
}

/**
 * The place of a call among those of its sandbox (docs/decisions/determinism.md): where ids are its own, a number that
 * what it makes up is derived from; where the same calls have the same answers, its turn; where the clock goes on with
 * each call, the end of it.
 */
@Injectable()
export class CallSteps {
  private afterCall: AfterCall | undefined;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly turns: Turns,
    private readonly log: Log,
  ) {}

  /** At start-up. */
  onAnswered(work: AfterCall): void {
    this.afterCall = work;
  }

  /** The sandbox of the current request was entered, and the call is on the timeline. Undefined: there is nothing to do. */
  begin(sandbox: SandboxFlags | null | undefined, call: Beginning = {}): Promise<void> | undefined {
    return this.concern(sandbox) && !currentCall()?.isCheck ? this.enter(sandbox, call) : undefined;
  }

  /** Whether the places of calls mean anything there. */
  concern(sandbox: SandboxFlags | null | undefined): sandbox is SandboxFlags {
    return !!sandbox && (sandbox.ids !== null || sandbox.tickMs > 0);
  }

  private async enter(
    known: SandboxFlags,
    { isRead = false, isOperators = false, setsOff = !isOperators }: Beginning,
  ): Promise<void> {
    const request = requests.getStore();
    if (!request || request.step) return;
    let sandbox = known;
    const ticks = known.tickMs > 0 && !isOperators;
    if (known.isDeterministic || ticks) {
      // what a script sets off is done by whoever does what the script did: waiting for that here would wait for oneself
      const answered: Answered = setsOff ? (of, turn) => this.answered(of, turn) : () => Promise.resolve();
      const step = new Step(known, ticks, this.turns, this.clock, answered);
      request.step = step;
      // a call whose connection is cut has no answer
      const call = currentCall();
      if (call) call.onClose = () => void step.end(false);
      sandbox = await step.begin();
    }
    if (!sandbox.ids || isRead) return;
    const call = await this.skip(sandbox);
    if (call !== undefined) enterDraw(sandbox.randomSeed, call);
  }

  /** Takes the number of a call, which a repeated run may leave out. Undefined: the sandbox is gone. */
  skip({ tenantId }: SandboxFlags): Promise<number | undefined> {
    return this.nextDraw(tenantId);
  }

  /** Calls that come together take theirs together, as they came: each would wait for the row that the one before holds. */
  private readonly nextDraw = coalesce<number, number | undefined>(
    async (calls) => {
      const tenantId = calls[0] as number;
      const [row] = await this.db.run<{ last: number }>(NUMBER_CALLS, [tenantId, calls.length], tenantId);
      return calls.map((_, n) => row && row.last - calls.length + 1 + n);
    },
    { name: 'calls.number', inFlight: 1, lane: (tenantId) => tenantId },
  );

  private async answered(sandbox: SandboxFlags, turn: { endTurn(): Promise<void>; ticks: boolean }): Promise<void> {
    try {
      await this.afterCall?.(sandbox, turn);
    } catch (error) {
      this.log.warn('what follows a call did not happen', { tenant: sandbox.tenantId, error: error as Error });
    }
  }
}

/** What the web UI reads, and what scripts do, is no call of an app, a person or a key. */
export const isOperators = (
  { ui, client }: { readonly ui?: boolean; readonly client?: OwnClient | undefined },
  isRead: boolean,
): boolean => client === 'script' || (isRead && ui === true);

type Answered = (sandbox: SandboxFlags, turn: { endTurn(): Promise<void>; ticks: boolean }) => Promise<void>;

class Step implements CallStep {
  private endTurn: () => Promise<void> = () => Promise.resolve();
  private ended: Promise<void> | undefined;
  /** How many waits for something outside are going on, one in another. */
  private away = 0;

  constructor(
    private sandbox: SandboxFlags,
    private readonly ticks: boolean,
    private readonly turns: Turns,
    private readonly clock: Clock,
    private readonly answered: Answered,
  ) {}

  /** Returns the sandbox as the call before it left it. */
  async begin(): Promise<SandboxFlags> {
    if (!this.sandbox.isDeterministic) return this.sandbox;
    const turn = await this.turns.take(this.sandbox);
    // nobody waits for it any more
    if (this.ended) await turn.end();
    else this.endTurn = () => turn.end();
    this.sandbox = turn.sandbox;
    this.clock.enter(turn.sandbox);
    return turn.sandbox;
  }

  async leave(): Promise<void> {
    if (this.away++ === 0) await this.endTurn();
  }

  async resume(): Promise<void> {
    if (--this.away === 0 && !this.ended) await this.begin();
  }

  end(isAnswered: boolean): Promise<void> {
    const endTurn = (): Promise<void> => this.endTurn();
    return (this.ended ??= (
      isAnswered ? this.answered(this.sandbox, { endTurn, ticks: this.ticks }) : Promise.resolve()
    ).then(endTurn, endTurn));
  }
}
