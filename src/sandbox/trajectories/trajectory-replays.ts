import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { withIds } from '../../kernel/clock/request-sandbox.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { outside } from '../../kernel/http/call-context.js';
import { RestError } from '../../kernel/http/http-error.js';
import { LongWork } from '../../kernel/clock/long-work.js';
import { newRequestId, sha256Hex } from '../../kernel/ids/ids.js';
import { isObject } from '../../kernel/matchers/matcher.js';
import { CallSteps } from '../../kernel/sandbox/call-steps.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { SandboxResets } from '../../kernel/sandbox/sandbox-resets.js';
import { readJsonObject } from '../../kernel/text/json.js';
import { hashesOf, States } from '../../tenants/state/states.js';
import { SandboxAccess, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxClocks } from '../clock/clock.service.js';
import { SandboxStates } from '../state/sandbox-states.js';
import { keepValue } from '../timeline/entry.js';
import { REDACTED } from '../timeline/redaction.js';
import { Replays, type Replayed } from '../timeline/replays.js';
import { KeptReplays, type Outcome, type Reason } from './kept-replays.js';
import { FORGET_PLAYED } from './kept-replays.queries.js';
import { divergence, learn, mapped, TRAJECTORY_FORMAT, type Actor, type Divergence, type Line } from './trajectory.js';

/** The most calls of a trajectory that is replayed. */
const MAX_CALLS = 10_000;
const MAX_LINES = 200_000;

export interface TrajectoryReplayed {
  readonly calls: number;
  readonly same: number;
  readonly skipped: readonly { readonly n: number; readonly reason: Reason }[];
  readonly differs: readonly ({ readonly n: number } & Divergence)[];
  readonly state: { readonly expected: string | null; readonly actual: string; readonly equal: boolean };
  readonly mapped: Readonly<Record<string, string>>;
}

interface RecordedCall extends Line {
  readonly n: number;
  readonly as: Actor;
}

/** Plays the calls of a trajectory in a sandbox (docs/reference/sandboxes.md#trajectories). */
/** How soon a replica looks for replays that nobody plays any more. */
const TAKE_EVERY_MS = 2_000;
/** How soon who waits for another replica looks again. */
const AGAIN_MS = 200;

/** Ids that became others, and which of them are new. */
class LearnedIds extends Map<string, string> {
  added: [string, string][] = [];

  override set(before: string, after: string): this {
    // while the first ones are set, there are no fields yet
    (this.added ??= []).push([before, after]);
    return super.set(before, after);
  }
}

interface Recorded {
  readonly start: Line;
  readonly calls: readonly RecordedCall[];
  readonly end: Line | undefined;
}

/**
 * Plays the calls of a trajectory in a sandbox (docs/reference/sandboxes.md#trajectories). Each is noted before it is
 * made, so that another replica goes on when this one dies.
 */
@Injectable()
export class TrajectoryReplays implements BeforeApplicationShutdown {
  private isStopped = false;

  constructor(
    private readonly kept: KeptReplays,
    private readonly replays: Replays,
    private readonly clocks: SandboxClocks,
    private readonly states: SandboxStates,
    private readonly names: States,
    private readonly access: SandboxAccess,
    private readonly reader: SandboxReader,
    private readonly steps: CallSteps,
    upkeep: Upkeep,
    resets: SandboxResets,
  ) {
    upkeep.register('replays that nobody plays', TAKE_EVERY_MS, () => this.takeOver());
    resets.onReset(async (tx, tenantId) => void (await tx.query(FORGET_PLAYED, [tenantId])));
  }

  beforeApplicationShutdown(): void {
    this.isStopped = true;
  }

  /**
   * @param options.stop whether the first difference ends it
   * @param options.isGone whether nobody waits for the answer any more
   * @throws RestError 400 with the line that is none, 403 not_allowed_token_type, 409 sandbox_too_large, 503 service_unavailable
   */
  async replay(
    call: SandboxCall,
    file: string,
    { stop, isGone }: { stop: boolean; isGone: () => boolean },
  ): Promise<TrajectoryReplayed> {
    const recorded = await readLines(file);
    const { tenantId } = call.sandbox;
    const digest = sha256Hex(`${stop} ${file}`);
    for (;;) {
      const id = await this.kept.begin(tenantId, digest, { file, stops: stop, caller: call.caller });
      if (id !== undefined) {
        const played = await this.play(id, call, recorded, { stop, isGone });
        if (played) {
          await this.kept.forget(id);
          return played;
        }
      }
      // another replica plays it
      for (;;) {
        const sent = await this.kept.sent<TrajectoryReplayed>(tenantId, digest);
        if (!sent) break;
        if (sent.result) {
          await this.kept.forget(sent.id);
          return sent.result;
        }
        if (this.isStopped || isGone()) throw new RestError(503, 'service_unavailable', 1);
        await new Promise((again) => setTimeout(again, AGAIN_MS));
      }
    }
  }

  /** Goes on with replays whose replica is gone. */
  private async takeOver(): Promise<void> {
    for (let taken = await this.kept.take(); taken && !this.isStopped; taken = await this.kept.take()) {
      const { id, tenantId, file, stops, caller } = taken;
      const sandbox = await this.access.ofTenant(tenantId);
      if (!sandbox) return this.kept.forget(id);
      const flags = this.reader.read(sandbox.flags) as SandboxFlags;
      const played = await outside(() =>
        withIds(flags.ids, async () => {
          const still = { stop: stops, isGone: () => false };
          return this.play(id, { caller, sandbox, flags }, await readLines(file), still);
        }),
      );
      if (played) await this.kept.end(id, played);
    }
  }

  /** Undefined: another replica is to go on, or does already. */
  private async play(
    id: string,
    call: SandboxCall,
    { start, calls, end }: Recorded,
    { stop, isGone }: { stop: boolean; isGone: () => boolean },
  ): Promise<TrajectoryReplayed | undefined> {
    const release = this.kept.hold(id);
    try {
      const steps = await this.kept.steps(id);
      const ids = new LearnedIds(await this.idsHere(call.sandbox.tenantId, start['names']));
      const isFrozen = call.flags.time !== null && call.flags.time.frozenAt !== null;
      const isExact = call.flags.isDeterministic && start['deterministic'] === true;
      const skipped: { n: number; reason: Reason }[] = [];
      const differs: ({ n: number } & Divergence)[] = [];
      let before: { place: number; outcome: Outcome } | undefined;
      let played = 0;
      for (const [place, line] of calls.entries()) {
        if (isGone() || (stop && differs.length > 0)) break;
        const reason = reasonToSkip(line);
        // what comes after a call that is left out is made up as it was
        const takesPlace = isExact && MAKES.test(String(line['method']));
        let outcome = reason && !takesPlace ? { skipped: reason, learned: [] } : steps.get(place);
        if (outcome) {
          for (const [recorded, ours] of outcome.learned) ids.set(recorded, ours);
        } else {
          if (this.isStopped) {
            await this.kept.leave(id);
            return undefined;
          }
          const requestId = newRequestId();
          if (!(await this.kept.step(id, { place, requestId }, before))) return undefined;
          if (isFrozen) await this.setClock(call, line['at']);
          outcome = await this.outcomeOf(call, line, { ids, requestId, isExact, reason });
          if (outcome.skipped && takesPlace) await this.steps.skip(call.flags);
          before = { place, outcome };
        }
        if (outcome.skipped) skipped.push({ n: line.n, reason: outcome.skipped });
        else played++;
        if (outcome.difference) differs.push({ n: line.n, ...outcome.difference });
      }
      const now = await this.states.read(call.sandbox.tenantId, undefined, { ids: false, ignore: [] });
      const expected = typeof end?.['state'] === 'string' ? end['state'] : null;
      const { hash } = hashesOf(now);
      return {
        calls: played,
        same: played - differs.length,
        skipped,
        differs,
        state: { expected, actual: hash, equal: expected === hash },
        mapped: Object.fromEntries(ids),
      };
    } catch (error) {
      // what fails here fails elsewhere
      await this.kept.forget(id);
      throw error;
    } finally {
      release();
    }
  }

  private async outcomeOf(
    call: SandboxCall,
    line: RecordedCall,
    {
      ids,
      requestId,
      isExact,
      reason,
    }: {
      readonly ids: LearnedIds;
      readonly requestId: string;
      readonly isExact: boolean;
      readonly reason: Reason | undefined;
    },
  ): Promise<Outcome> {
    if (reason) return { skipped: reason, learned: [] };
    const answered = await this.perform(call, line, ids, requestId);
    if (!answered) return { skipped: 'unknown_actor', learned: [] };
    const actual = withoutSecrets(answered.answer);
    const difference = compare(line, { status: answered.status, answer: actual, isExact });
    ids.added = [];
    learn(line['answer'], actual, ids);
    return { ...(difference && { difference }), learned: ids.added };
  }

  /** Which ids of the recorded sandbox stand for which ones here, by what has the same name. */
  private async idsHere(tenantId: number, names: unknown): Promise<Map<string, string>> {
    const here = new Map([...(await this.names.names(tenantId))].map(([id, name]) => [name, id]));
    return new Map(
      Object.entries(isObject(names) ? names : {}).flatMap(([id, name]) => {
        const ours = here.get(String(name));
        return ours === undefined || ours === id ? [] : [[id, ours]];
      }),
    );
  }

  /** To a recorded time; one that is past is left out. */
  private async setClock(call: SandboxCall, at: unknown): Promise<void> {
    if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) return;
    // a clock that goes on with its calls is there already, and tells more than milliseconds
    if ((await this.clocks.nowOf(call)) === Date.parse(at)) return;
    await this.clocks.put(call, { now: at, frozen: true }).catch((error: unknown) => {
      if (!(error instanceof RestError && error.getStatus() === 409)) throw error;
    });
  }

  /** Undefined: nobody here is whom it names. */
  private async perform(
    call: SandboxCall,
    line: RecordedCall,
    ids: ReadonlyMap<string, string>,
    requestId: string,
  ): Promise<Replayed | undefined> {
    const { app, user } = line.as;
    const as = { ...(app !== undefined && line.as.kind !== 'api_key' && { app }), ...(user !== undefined && { user }) };
    const { product, method } = line;
    const args = mapped(line['args'], ids) as object;
    try {
      return await this.replays.perform(call, { product, method, args, as }, requestId);
    } catch (error) {
      if (error instanceof RestError && [400, 404, 409].includes(error.getStatus())) return undefined;
      throw error;
    }
  }
}

/** Calls that may make something, of those that cannot be played. */
const MAKES = /^(?:webhooks\.|(?:POST|PUT|PATCH|DELETE) )/;

const MADE_BY_OTHERS = new Set<unknown>(['script', 'replay']);
const ACTORS = new Set(['bot', 'user', 'jwt', 'api_key']);

/** @throws RestError 400 naming the line that is none */
async function readLines(file: string): Promise<Recorded> {
  const work = new LongWork();
  const texts = file.split('\n');
  if (texts.length > MAX_LINES) throw new RestError(400, `a trajectory has at most ${MAX_LINES} lines`);
  const lines: Line[] = [];
  const calls: RecordedCall[] = [];
  for (const [i, text] of texts.entries()) {
    await work.pause();
    if (text.trim() === '') continue;
    const line = lineOf(text, i + 1);
    if (lines.length === 0 && (line.t !== 'start' || line['format'] !== TRAJECTORY_FORMAT)) {
      throw new RestError(400, `line ${i + 1}: must be the start of a trajectory of the format ${TRAJECTORY_FORMAT}`);
    }
    lines.push(line);
    if (line.t !== 'call') continue;
    if (!Number.isInteger(line['n']) || !isObject(line['as']) || typeof line['method'] !== 'string') {
      throw new RestError(400, `line ${i + 1}: a call needs n, as and method`);
    }
    if (!MADE_BY_OTHERS.has(line['client'])) calls.push(line as RecordedCall);
    if (calls.length > MAX_CALLS) throw new RestError(400, `line ${i + 1}: at most ${MAX_CALLS} calls are replayed`);
  }
  const [start] = lines;
  if (!start) throw new RestError(400, 'line 1: must be the start of a trajectory');
  return { start, calls, end: lines.findLast(({ t }) => t === 'end') };
}

function lineOf(text: string, number: number): Line {
  try {
    const line = readJsonObject(text);
    if (typeof line['t'] === 'string') return line as Line;
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
  }
  throw new RestError(400, `line ${number}: must be a JSON object with t`);
}

function reasonToSkip({ cut, args, as }: RecordedCall): Reason | undefined {
  if (cut === true || !isObject(args)) return 'cut';
  if (!ACTORS.has(as.kind)) return 'unknown_actor';
  return JSON.stringify(args).includes(REDACTED) ? 'redacted' : undefined;
}

/** As the timeline keeps an answer. */
function withoutSecrets(answer: unknown): unknown {
  const { json, cutFrom } = keepValue(answer);
  return cutFrom === undefined ? (JSON.parse(json) as unknown) : answer;
}

/** An answer's error comes before everything else in it: it says best what happened. */
function compare(
  { status, answer }: Line,
  actual: { readonly status: unknown; readonly answer: unknown; readonly isExact: boolean },
): Divergence | undefined {
  const { isExact } = actual;
  const of = (value: unknown, field: string): unknown => (isObject(value) ? (value[field] ?? null) : null);
  const inField = (field: string): Divergence | undefined =>
    divergence(of(answer, field), of(actual.answer, field), { path: `answer.${field}`, isExact });
  return (
    inField('error') ??
    inField('ok') ??
    divergence(status ?? null, actual.status, { path: 'status', isExact }) ??
    divergence(answer, actual.answer, { path: 'answer', isExact })
  );
}
