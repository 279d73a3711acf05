import { Injectable } from '@nestjs/common';
import { RestError } from '../../kernel/http/http-error.js';
import { LongWork } from '../../kernel/clock/long-work.js';
import { readJsonObject } from '../../kernel/text/json.js';
import { hashesOf, States } from '../../tenants/state/states.js';
import type { SandboxCall } from '../access/sandbox-access.js';
import { SandboxClocks } from '../clock/clock.service.js';
import { isObject } from '../matchers/matcher.js';
import { SandboxStates } from '../state/sandbox-states.js';
import { keepValue } from '../timeline/entry.js';
import { REDACTED } from '../timeline/redaction.js';
import { Replays, type Replayed } from '../timeline/replays.js';
import { divergence, learn, mapped, TRAJECTORY_FORMAT, type Actor, type Divergence, type Line } from './trajectory.js';

/** The most calls of a trajectory that is replayed. */
const MAX_CALLS = 10_000;
const MAX_LINES = 200_000;

type Reason = 'cut' | 'unknown_actor' | 'redacted';

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
@Injectable()
export class TrajectoryReplays {
  constructor(
    private readonly replays: Replays,
    private readonly clocks: SandboxClocks,
    private readonly states: SandboxStates,
    private readonly names: States,
  ) {}

  /**
   * @param options.stop whether the first difference ends it
   * @param options.isGone whether nobody waits for the answer any more
   * @throws RestError 400 with the line that is none, 403 not_allowed_token_type, 409 sandbox_too_large
   */
  async replay(
    call: SandboxCall,
    file: Buffer,
    { stop, isGone }: { stop: boolean; isGone: () => boolean },
  ): Promise<TrajectoryReplayed> {
    const { start, calls, end } = await readLines(file);
    const ids = await this.idsHere(call.sandbox.tenantId, start['names']);
    const isFrozen = call.flags.time !== null && call.flags.time.frozenAt !== null;
    const skipped: { n: number; reason: Reason }[] = [];
    const differs: ({ n: number } & Divergence)[] = [];
    let played = 0;
    for (const line of calls) {
      if (isGone() || (stop && differs.length > 0)) break;
      const reason = reasonToSkip(line);
      if (reason) {
        skipped.push({ n: line.n, reason });
        continue;
      }
      if (isFrozen) await this.setClock(call, line['at']);
      const answered = await this.play(call, line, ids);
      if (!answered) {
        skipped.push({ n: line.n, reason: 'unknown_actor' });
        continue;
      }
      played++;
      const actual = withoutSecrets(answered.answer);
      const found = compare(line, answered.status, actual);
      if (found) differs.push({ n: line.n, ...found });
      learn(line['answer'], actual, ids);
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
    await this.clocks.put(call, { now: at, frozen: true }).catch((error: unknown) => {
      if (!(error instanceof RestError && error.getStatus() === 409)) throw error;
    });
  }

  /** Undefined: nobody here is whom it names. */
  private async play(call: SandboxCall, line: RecordedCall, ids: Map<string, string>): Promise<Replayed | undefined> {
    const { app, user } = line.as;
    const as = { ...(app !== undefined && line.as.kind !== 'api_key' && { app }), ...(user !== undefined && { user }) };
    const { product, method } = line;
    const args = mapped(line['args'], ids) as object;
    try {
      return await this.replays.perform(call, { product, method, args, as });
    } catch (error) {
      if (error instanceof RestError && [400, 404, 409].includes(error.getStatus())) return undefined;
      throw error;
    }
  }
}

const MADE_BY_OTHERS = new Set<unknown>(['script', 'replay']);
const ACTORS = new Set(['bot', 'user', 'jwt', 'api_key']);

/** @throws RestError 400 naming the line that is none */
async function readLines(file: Buffer): Promise<{ start: Line; calls: RecordedCall[]; end: Line | undefined }> {
  const work = new LongWork();
  const texts = file.toString('utf8').split('\n');
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
function compare({ status, answer }: Line, actualStatus: number | null, actual: unknown): Divergence | undefined {
  const of = (value: unknown, field: string): unknown => (isObject(value) ? (value[field] ?? null) : null);
  return (
    divergence(of(answer, 'error'), of(actual, 'error'), 'answer.error') ??
    divergence(of(answer, 'ok'), of(actual, 'ok'), 'answer.ok') ??
    divergence(status ?? null, actualStatus, 'status') ??
    divergence(answer, actual, 'answer')
  );
}
