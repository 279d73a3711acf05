import { Injectable } from '@nestjs/common';
import { VERSION } from '../../kernel/config/version.js';
import { RestError } from '../../kernel/http/http-error.js';
import { isObject } from '../../kernel/matchers/matcher.js';
import { hashesOf, States } from '../../tenants/state/states.js';
import type { SandboxCall } from '../access/sandbox-access.js';
import { Changes, CLASSES } from '../changes/changes.service.js';
import { SandboxView } from '../sandboxes/sandbox-view.js';
import { SandboxStates } from '../state/sandbox-states.js';
import { requireSeq } from '../timeline/cursor.js';
import type { Entry } from '../timeline/entry.js';
import { Timeline } from '../timeline/timeline.service.js';
import { TRAJECTORY_FORMAT, type Actor, type Line } from './trajectory.js';

/** The most changes of an entity and class in the line `diff`. */
const MAX_CHANGES = 1_000;

const KINDS = ['call', 'event', 'delivery', 'clock', 'reset', 'fault', 'note', 'script'];

/** Fields of an entry that a line says in another way, or not at all. */
const NOT_SHOWN = ['id', 'kind', 'wall', 'cause'];

/** What happened in a sandbox, as lines that can be replayed (docs/reference/sandboxes.md#trajectories). */
@Injectable()
export class Trajectories {
  constructor(
    private readonly timeline: Timeline,
    private readonly states: SandboxStates,
    private readonly names: States,
    private readonly changes: Changes,
    private readonly view: SandboxView,
  ) {}

  /**
   * @param since `start` (the oldest entry that is kept), `mark`, or a cursor
   * @throws RestError 409 journal_off, sandbox_too_large; 400 invalid_cursor
   */
  async *read({ sandbox, flags }: SandboxCall, since: string): AsyncGenerator<Line> {
    if (!flags.journal) throw new RestError(409, 'journal_off');
    const { tenantId } = sandbox;
    await this.timeline.complete(tenantId);
    const state = await this.timeline.state(tenantId);
    const from = since === 'start' ? 0 : since === 'mark' ? state.mark : requireSeq(since);
    const after = Math.max(from, state.floor);
    const known = await this.numbers(tenantId, after, state.last);
    yield {
      t: 'start',
      format: TRAJECTORY_FORMAT,
      version: VERSION,
      sandbox: sandbox.id,
      id_space: flags.ids ? 'own' : 'server',
      deterministic: flags.isDeterministic,
      random_seed: flags.ids ? flags.randomSeed : null,
      clock: this.view.clockOf(flags),
      state: await this.baselineHash(sandbox.baselineEpoch, tenantId),
      complete: !known.isCut && from >= state.floor,
      names: Object.fromEntries(await this.names.names(tenantId)),
    };
    let n = 0;
    const counts = { calls: 0, events: 0 };
    for await (const { entry } of this.timeline.walk(tenantId, { after, kinds: KINDS }, state.last)) {
      n++;
      if (entry.kind === 'call') counts.calls++;
      if (entry.kind === 'event') counts.events++;
      yield lineOf(entry, n, known.byRequest.get(String(entry['cause'])) ?? null);
    }
    yield await this.diff(sandbox.baselineEpoch, tenantId);
    const { hash } = hashesOf(await this.states.read(tenantId, undefined, { ids: false, ignore: [] }));
    yield { t: 'end', state: hash, ...counts };
  }

  /** The line of each call by its request's id, as a call stands after what it caused. */
  private async numbers(
    tenantId: number,
    after: number,
    last: number,
  ): Promise<{ byRequest: Map<string, number>; isCut: boolean }> {
    const byRequest = new Map<string, number>();
    let [n, isCut] = [0, false];
    for await (const { entry } of this.timeline.walk(tenantId, { after, kinds: KINDS }, last)) {
      n++;
      if (entry.kind !== 'call') continue;
      byRequest.set(String(entry['request_id']), n);
      isCut ||= entry['truncated'] === true;
    }
    return { byRequest, isCut };
  }

  private async baselineHash(baselineEpoch: number | null, tenantId: number): Promise<string | null> {
    if (baselineEpoch === null) return null;
    return hashesOf(await this.states.read(tenantId, 'baseline', { ids: false, ignore: [] })).hash;
  }

  private async diff(baselineEpoch: number | null, tenantId: number): Promise<Line> {
    const found = baselineEpoch === null ? [] : [...(await this.changes.since(tenantId, 'baseline', MAX_CHANGES))];
    const of = (pick: (entity: (typeof found)[number][1]) => unknown, holds: (value: never) => boolean): object =>
      Object.fromEntries(
        found.flatMap(([name, entity]) => (holds(pick(entity) as never) ? [[name, pick(entity)]] : [])),
      );
    const lists = CLASSES.map((each) => [
      each,
      of(
        (entity) => entity[each],
        (list: unknown[]) => list.length > 0,
      ),
    ]);
    const counts = CLASSES.map((each) => [
      each,
      of(
        (entity) => entity.counts[each],
        (count: number) => count > 0,
      ),
    ]);
    return { t: 'diff', ...Object.fromEntries(lists), counts: Object.fromEntries(counts) };
  }
}

function lineOf(entry: Entry, n: number, cause: number | null): Line {
  const { kind: t, at } = entry;
  switch (t) {
    case 'call': {
      const { product, method, caller, args, status, ok, error, answer, client, truncated } = entry;
      return {
        t,
        n,
        at,
        product,
        method,
        as: actorOf(caller),
        args,
        status,
        ok,
        error,
        answer,
        ...(client !== undefined && { client }),
        ...(truncated === true && { cut: true }),
      };
    }
    case 'event': {
      const { product, event, data } = entry;
      return { t, n, cause, at, product, event, data };
    }
    case 'delivery': {
      const { event, target, attempt, response, error } = entry;
      const status = isObject(response) ? { status: response['status'] } : { error };
      return { t, n, cause, event, target, attempt, ...status };
    }
    default: {
      const rest = Object.entries(entry).filter(([field]) => !NOT_SHOWN.includes(field));
      return { t, n, ...(cause !== null && { cause }), ...Object.fromEntries(rest) };
    }
  }
}

function actorOf(caller: unknown): Actor {
  const { kind, app, user } = (isObject(caller) ? caller : {}) as Record<string, string | undefined>;
  if (kind === 'webhook') return { kind, ...(app !== undefined && { webhook: app }) };
  const isPerson = kind !== 'bot' && user !== undefined;
  return { kind: kind ?? 'unknown', ...(app !== undefined && { app }), ...(isPerson && { user }) };
}
