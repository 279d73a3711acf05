import { Injectable } from '@nestjs/common';
import { LongWork } from '../../kernel/clock/long-work.js';
import { closest } from '../../kernel/matchers/closest.js';
import { isObject, type Matcher } from '../../kernel/matchers/matcher.js';
import { bare, matches, type Aliases } from '../../kernel/matchers/matches.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';
import { hashesOf } from '../../tenants/state/states.js';
import { SandboxStates } from '../state/sandbox-states.js';
import { Timeline } from '../timeline/timeline.service.js';
import { Changes, CLASSES, refKey, type Class, type EntityChanges, type Shown } from './changes.service.js';
import {
  namesOf,
  type AssertRequest,
  type CallsExpected,
  type Expectation,
  type GroupExpected,
  type OrderExpected,
  type RowsExpected,
  type StateExpected,
} from './expectation.js';
import { objectKey, onlyByScripts } from './script-doing.js';
import { nothingElse, phrase, sentence } from './sentences.js';

/** The most rows of a kind and class that are compared. */
const MAX_CHANGES = 10_000;
/** Calls that are kept to report the closest ones. */
const CANDIDATES = 500;
/** Closest entries of several expectations together. */
const MOST_CLOSEST = 9;
/** The most unexpected changes that are shown. */
const MAX_UNEXPECTED = 100;

export interface Failure {
  readonly expectation?: number;
  readonly nothing_else?: string;
  readonly message: string;
  readonly closest?: object[];
  readonly unexpected?: object[];
}

/** What became of one expectation, or of all of `nothing_else` together. */
export interface Result {
  readonly expectation?: number;
  readonly nothing_else?: true;
  readonly passed: boolean;
  readonly weight: number;
}

export interface Verdict {
  readonly passed: boolean;
  /** The weights of what passed over all, from 0 to 1, with four digits. */
  readonly score: number;
  readonly results: Result[];
  readonly failures: Failure[];
}

/** Undefined: as expected. */
type Refusal = Omit<Failure, 'expectation'> | undefined;

interface Context {
  readonly tenantId: number;
  readonly journal: boolean;
  readonly since: string;
  readonly aliases: Aliases;
  readonly changes: ReadonlyMap<string, EntityChanges>;
  /** Objects of a kind that there are now. */
  readonly present: ReadonlyMap<string, readonly Shown[]>;
}

/** Calls that a script or a replay made are nobody's own. */
const NOT_THEIR_OWN = new Set<unknown>(['script', 'replay']);

/**
 * Checks that the expected changes have happened, and nothing else
 * (docs/reference/sandboxes.md#changes-and-assertions).
 */
@Injectable()
export class Assertions {
  constructor(
    private readonly changes: Changes,
    private readonly timeline: Timeline,
    private readonly views: SandboxViews,
    private readonly states: SandboxStates,
  ) {}

  /** @throws RestError 404 snapshot_not_found, 409 sandbox_too_large */
  async check(
    { tenantId, journal }: { tenantId: number; journal: boolean },
    { since, expect, weights, nothingElse }: AssertRequest,
  ): Promise<Verdict> {
    const [changes, aliases, present] = await Promise.all([
      this.changes.since(tenantId, since, MAX_CHANGES),
      this.views.aliases(tenantId, [...new Set(expect.flatMap(namesOf))]),
      this.presentOf(tenantId, expect),
    ]);
    const context: Context = { tenantId, journal, since, aliases, changes, present };
    const expected = new Set<string>();
    const failures: Failure[] = [];
    const results: Result[] = [];
    for (const [i, expectation] of expect.entries()) {
      const met: string[] = [];
      const refusal = await this.judge(expectation, context, met);
      for (const key of met) expected.add(key);
      if (refusal) failures.push({ expectation: i, ...refusal });
      results.push({ expectation: i, passed: !refusal, weight: weights[i] ?? 1 });
    }
    const byScripts = nothingElse.length === 0 ? new Set<string>() : await this.byScripts(context);
    const others = nothingElse.flatMap(
      (entity) => nothingBut(entity, changes.get(entity) as EntityChanges, { expected, byScripts }) ?? [],
    );
    if (nothingElse.length > 0) results.push({ nothing_else: true, passed: others.length === 0, weight: 1 });
    failures.push(...others);
    return { passed: failures.length === 0, score: scoreOf(results), results, failures };
  }

  private async presentOf(tenantId: number, expect: readonly Expectation[]): Promise<Map<string, Shown[]>> {
    const kinds = [...new Set(expect.flatMap(kindsThatExist))];
    return kinds.length === 0 ? new Map() : this.changes.present(tenantId, kinds);
  }

  /** @param met filled with the keys of what was expected and is there */
  private async judge(expectation: Expectation, context: Context, met: string[]): Promise<Refusal> {
    switch (expectation.verb) {
      case 'called':
        return this.called(expectation, context);
      case 'order':
        return this.inOrder(expectation, context);
      case 'state':
        return this.isState(expectation, context);
      case 'not': {
        // what must not be is not expected
        const refusal = await this.judge(expectation.parts[0] as Expectation, context, []);
        return refusal ? undefined : { message: `expected ${phrase(expectation)}, but it is so`, closest: [] };
      }
      case 'any':
      case 'all':
        return this.group(expectation, context, met);
      case 'unchanged':
        return unchanged(expectation, context);
      default:
        return rows(expectation, context, met);
    }
  }

  private async group({ verb, parts }: GroupExpected, context: Context, met: string[]): Promise<Refusal> {
    const refusals: Exclude<Refusal, undefined>[] = [];
    for (const part of parts) {
      const refusal = await this.judge(part, context, met);
      if (refusal) refusals.push(refusal);
    }
    if (refusals.length < (verb === 'any' ? parts.length : 1)) return undefined;
    return {
      message: refusals.map(({ message }) => message).join(verb === 'any' ? '; nor: ' : '; '),
      closest: refusals.flatMap(({ closest: close = [] }) => close).slice(0, MOST_CLOSEST),
    };
  }

  private async isState({ hash, ids, ignore }: StateExpected, { tenantId }: Context): Promise<Refusal> {
    const found = hashesOf(await this.states.read(tenantId, undefined, { ids, ignore }));
    return found.hash === hash
      ? undefined
      : { message: `expected the state ${hash}, found ${found.hash}`, closest: [] };
  }

  private async called(expectation: CallsExpected, context: Context): Promise<Refusal> {
    const { where, what } = expectation;
    if (!context.journal) return { message: unknown(what), closest: [] };
    const candidates: Shown[] = [];
    let count = 0;
    for await (const entry of this.callsOf(context)) {
      if (!isMethod(entry, what) || !isBy(entry, expectation.by)) continue;
      if (where === null || matches(where, entry, context.aliases)) count++;
      else if (candidates.push(entry) > 2 * CANDIDATES) candidates.splice(0, CANDIDATES);
    }
    return judge(expectation, count, candidates, context.aliases);
  }

  private async inOrder({ steps }: OrderExpected, context: Context): Promise<Refusal> {
    if (!context.journal) return { message: unknown((steps[0] as CallsExpected).what), closest: [] };
    const firsts = steps.map(() => Infinity);
    let place = 0;
    for await (const entry of this.callsOf(context)) {
      place++;
      for (const [i, { what, by, where }] of steps.entries()) {
        if (firsts[i] !== Infinity || !isMethod(entry, what) || !isBy(entry, by)) continue;
        if (where === null || matches(where, entry, context.aliases)) firsts[i] = place;
      }
    }
    const late = steps.findIndex((_, i) => (firsts[i] as number) <= (firsts[i - 1] ?? 0) || firsts[i] === Infinity);
    if (late < 0) return undefined;
    const found = firsts[late] === Infinity ? 'never called' : 'called earlier';
    const { what } = steps[late] as CallsExpected;
    return { message: `expected ${phrase({ verb: 'order', steps })}, found ${what} ${found}`, closest: [] };
  }

  /** Keys of objects with which nobody but the sandbox's script has done anything. */
  private async byScripts({ tenantId, since }: Context): Promise<Set<string>> {
    await this.timeline.complete(tenantId);
    const after = await this.placeOf(tenantId, since);
    const acts = this.timeline.walk(tenantId, { after, kinds: ['script'] });
    if ((await acts.next()).done) return new Set();
    return onlyByScripts(this.timeline.walk(tenantId, { after, kinds: ['script', 'event'] }));
  }

  /** Calls since the state that an assertion begins with, in order. */
  private async *callsOf({ tenantId, since }: Context): AsyncGenerator<Shown> {
    await this.timeline.complete(tenantId);
    const after = await this.placeOf(tenantId, since);
    for await (const { entry } of this.timeline.walk(tenantId, { after, kinds: ['call'] })) {
      if (!NOT_THEIR_OWN.has(entry['client'])) yield entry;
    }
  }

  /**
   * The position on the timeline at which a state begins: its snapshot, or the last reset, after which there were no
   * calls yet.
   */
  private async placeOf(tenantId: number, since: string): Promise<number> {
    const kinds = ['reset', 'snapshot'];
    for await (const { entry, seq } of this.timeline.walk(tenantId, { after: 0, kinds, order: 'desc' })) {
      if (
        entry.kind === 'reset' ||
        entry['snapshot'] === since ||
        (entry.kind === 'snapshot' && entry['name'] === since)
      ) {
        return seq;
      }
    }
    return 0;
  }
}

function isMethod({ method, methods }: Shown, wanted: string): boolean {
  const all = Array.isArray(methods) ? (methods as unknown[]) : [method];
  const family = wanted.endsWith('*') ? wanted.slice(0, -1) : undefined;
  return all.some((each) => each === wanted || (family !== undefined && String(each).startsWith(family)));
}

const unknown = (what: string): string => `calls of ${what} are not known: the sandbox keeps no journal`;

/** Whether an app or a person of this name or id made a call. */
function isBy({ caller }: Shown, wanted: string | null): boolean {
  if (wanted === null) return true;
  const { app, app_id: appId, user, user_id: userId } = (caller ?? {}) as Shown;
  const name = bare(wanted);
  return [app, appId, user, userId].includes(name);
}

const kindsThatExist = (expectation: Expectation): string[] => {
  if ('parts' in expectation) return expectation.parts.flatMap(kindsThatExist);
  return expectation.verb === 'exists' ? [expectation.what] : [];
};

/** By which an object is known among those that changed; what has no id is all that it shows. */
const keyOf = (entity: string, shown: Shown): string =>
  `${entity} ${entity === 'message' || shown['id'] !== undefined ? refKey(entity, shown).join(' ') : JSON.stringify(shown)}`;

const scoreOf = (results: readonly Result[]): number => {
  const sum = (of: readonly Result[]): number => of.reduce((all, { weight }) => all + weight, 0);
  const all = sum(results);
  const passed = results.filter((result) => result.passed);
  return all === 0 ? Number(passed.length === results.length) : Math.round((sum(passed) / all) * 10_000) / 10_000;
};

async function rows(expectation: RowsExpected, context: Context, met: string[]): Promise<Refusal> {
  const work = new LongWork();
  const { where, what, verb } = expectation;
  const found = context.changes.get(what) as EntityChanges;
  const isThere = verb === 'exists';
  const all = isThere ? (context.present.get(what) ?? []) : found[verb as Class];
  const rest: Shown[] = [];
  let count = 0;
  for (const shown of all) {
    await work.pause();
    if (where === null || matches(where, subjectOf(verb, shown, where), context.aliases)) {
      met.push(keyOf(what, shown));
      count++;
    } else rest.push(shown);
  }
  // without a matcher unread calls count, too
  const total = where === null && !isThere ? found.counts[verb as Class] : count;
  return judge(expectation, total, rest, context.aliases);
}

async function unchanged(expectation: RowsExpected, { changes, aliases }: Context): Promise<Refusal> {
  const { where, what } = expectation;
  const found = changes.get(what) as EntityChanges;
  const of = (verb: Class): Shown[] =>
    found[verb].filter((shown) => where === null || matches(where, subjectOf(verb, shown, where), aliases));
  const unexpected = CLASSES.flatMap((verb) => of(verb).map((shown) => ({ change: verb, ...shown })));
  const count = where === null ? CLASSES.reduce((sum, verb) => sum + found.counts[verb], 0) : unexpected.length;
  if (count === 0) return undefined;
  return {
    message: `expected ${phrase(expectation)}, found ${count}`,
    unexpected: unexpected.slice(0, MAX_UNEXPECTED),
  };
}

async function judge(
  expectation: RowsExpected | CallsExpected,
  count: number,
  rest: readonly Shown[],
  aliases: Aliases,
): Promise<Refusal> {
  const { where, verb } = expectation;
  if (expectation.count === null ? count > 0 : matches(expectation.count, count)) return undefined;
  const close =
    where === null
      ? []
      : await closest(where, rest.slice(-CANDIDATES), aliases, { of: (shown) => subjectOf(verb, shown, where) });
  return { message: sentence(expectation, count), closest: close };
}

/** The value that a matcher is applied to: for a change its current fields, and `before`, `after`, `fields`. */
function subjectOf(verb: Expectation['verb'], shown: Shown, where: Matcher): unknown {
  if (verb === 'called') return shown;
  if (verb !== 'changed') return asAsked(shown, where);
  const fieldOf = (key: string): Matcher | undefined =>
    where.kind === 'object' ? where.fields.find(([name]) => name === key)?.[1] : undefined;
  const part = (key: 'before' | 'after'): Shown => asAsked(shown[key] as Shown, fieldOf(key) ?? where);
  return { ...asAsked(shown['after'] as Shown, where), ...shown, before: part('before'), after: part('after') };
}

/**
 * Where a matcher has an object for a value that is shown as a name (`state: {"name": "Done"}`), wraps the name in an
 * object.
 */
function asAsked(shown: Shown, where: Matcher): Shown {
  if (where.kind !== 'object') return shown;
  const view: Record<string, unknown> = { ...shown };
  for (const [key, field] of where.fields) {
    const value = view[key];
    if (field.kind === 'object' && typeof value === 'string' && !isObject(value) && view[`${key}Id`] !== undefined) {
      view[key] = { id: view[`${key}Id`], name: value, key: value, identifier: value };
    }
  }
  return view;
}

function nothingBut(
  entity: string,
  found: EntityChanges,
  { expected, byScripts }: { readonly expected: ReadonlySet<string>; readonly byScripts: ReadonlySet<string> },
): Failure | undefined {
  const isExpected = (shown: Shown): boolean =>
    expected.has(keyOf(entity, shown)) || byScripts.has(objectKey(entity, shown));
  const unexpected = CLASSES.flatMap((change) =>
    found[change].filter((shown) => !isExpected(shown)).map((shown) => ({ change, ...shown })),
  );
  const unread = CLASSES.reduce((sum, change) => sum + found.counts[change] - found[change].length, 0);
  if (unexpected.length + unread === 0) return undefined;
  return {
    nothing_else: entity,
    message: nothingElse(entity, unexpected.length + unread),
    unexpected: unexpected.slice(0, MAX_UNEXPECTED),
  };
}
