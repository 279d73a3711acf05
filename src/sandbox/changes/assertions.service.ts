import { Injectable } from '@nestjs/common';
import { LongWork } from '../../kernel/clock/long-work.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';
import { closest } from '../matchers/closest.js';
import { isObject, namesIn, type Matcher } from '../matchers/matcher.js';
import { matches, type Aliases } from '../matchers/matches.js';
import { Timeline } from '../timeline/timeline.service.js';
import { Changes, CLASSES, type Class, type EntityChanges, type Shown } from './changes.service.js';
import type { AssertRequest, Expectation } from './expectation.js';
import { nothingElse, sentence } from './sentences.js';

/** The most rows of a kind and class that are compared. */
const MAX_CHANGES = 10_000;
/** Calls that are kept to report the closest ones. */
const CANDIDATES = 500;
/** The most unexpected changes that are shown. */
const MAX_UNEXPECTED = 100;

export interface Failure {
  readonly expectation?: number;
  readonly nothing_else?: string;
  readonly message: string;
  readonly closest?: object[];
  readonly unexpected?: object[];
}

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
  ) {}

  /** @throws RestError 404 snapshot_not_found */
  async check(
    { tenantId, journal }: { tenantId: number; journal: boolean },
    request: AssertRequest,
  ): Promise<{ passed: boolean; failures: Failure[] }> {
    const names = new Set(request.expect.flatMap(({ where }) => (where ? [...namesIn(where)] : [])));
    const [found, aliases] = await Promise.all([
      this.changes.since(tenantId, request.since, MAX_CHANGES),
      this.views.aliases(tenantId, [...names]),
    ]);
    const expected = new Set<Shown>();
    const failures: Failure[] = [];
    for (const [i, expectation] of request.expect.entries()) {
      const failure =
        expectation.verb === 'called'
          ? await this.called(tenantId, { expectation, since: request.since, aliases, journal })
          : await rows(expectation, found.get(expectation.what) as EntityChanges, aliases, expected);
      if (failure) failures.push({ expectation: i, ...failure });
    }
    for (const entity of request.nothingElse) {
      const failure = nothingBut(entity, found.get(entity) as EntityChanges, expected);
      if (failure) failures.push(failure);
    }
    return { passed: failures.length === 0, failures };
  }

  private async called(
    tenantId: number,
    {
      expectation,
      since,
      aliases,
      journal,
    }: { expectation: Expectation; since: string; aliases: Aliases; journal: boolean },
  ): Promise<Omit<Failure, 'expectation'> | undefined> {
    if (!journal)
      return { message: `calls of ${expectation.what} are not known: the sandbox keeps no journal`, closest: [] };
    await this.timeline.complete(tenantId);
    const candidates: Shown[] = [];
    let count = 0;
    for await (const { entry } of this.timeline.walk(tenantId, {
      after: await this.placeOf(tenantId, since),
      kinds: ['call'],
    })) {
      if (!isMethod(entry, expectation.what)) continue;
      if (expectation.where === null || matches(expectation.where, entry, aliases)) count++;
      else if (candidates.push(entry) > 2 * CANDIDATES) candidates.splice(0, CANDIDATES);
    }
    return judge(expectation, count, candidates, aliases);
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

async function rows(
  expectation: Expectation,
  found: EntityChanges,
  aliases: Aliases,
  expected: Set<Shown>,
): Promise<Omit<Failure, 'expectation'> | undefined> {
  const work = new LongWork();
  const verb = expectation.verb as Class;
  const { where } = expectation;
  const rest: Shown[] = [];
  let count = 0;
  for (const shown of found[verb]) {
    await work.pause();
    if (where === null || matches(where, subjectOf(verb, shown, where), aliases)) {
      expected.add(shown);
      count++;
    } else rest.push(shown);
  }
  // without a matcher unread calls count, too
  return judge(expectation, where === null ? found.counts[verb] : count, rest, aliases);
}

async function judge(
  expectation: Expectation,
  count: number,
  rest: readonly Shown[],
  aliases: Aliases,
): Promise<Omit<Failure, 'expectation'> | undefined> {
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

function nothingBut(entity: string, found: EntityChanges, expected: ReadonlySet<Shown>): Failure | undefined {
  const unexpected = CLASSES.flatMap((change) =>
    found[change].filter((shown) => !expected.has(shown)).map((shown) => ({ change, ...shown })),
  );
  const unread = CLASSES.reduce((sum, change) => sum + found.counts[change] - found[change].length, 0);
  if (unexpected.length + unread === 0) return undefined;
  return {
    nothing_else: entity,
    message: nothingElse(entity, unexpected.length + unread),
    unexpected: unexpected.slice(0, MAX_UNEXPECTED),
  };
}
