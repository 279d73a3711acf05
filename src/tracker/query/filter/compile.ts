import { entityOf, filterKeyOf, visible } from '../../store/define-entity.js';
import type { EntityKey } from '../../store/entity-rows.js';
import { invalidArgument } from '../../values/errors.js';
import { allOf, type QueryScope } from '../../store/query-scope.js';
import { compare, type Comparator } from './comparators.js';
import type { FilterKey, FilterKeys, ManyKey, OneKey, OwnedKey } from '../../store/filter-keys.js';

/** A filter as it arrives: the keys of docs/reference/tracker.md#filters with values of their types. */
export type Filter = Readonly<Record<string, unknown>>;

/**
 * Limits of one filter. Each relation is a table in the statement and planning time grows faster than their number; no
 * real query needs more.
 */
const MAX_DEPTH = 40;
const MAX_RELATIONS = 60;
const MAX_CONDITIONS = 1_000;

/** The rows of a relation, in parts of a sub-select. */
interface Element {
  readonly alias: string;
  readonly from: string;
  readonly where: readonly (string | undefined)[];
  /** Only their existence is checked. */
  readonly isAny: boolean;
}

/** One filter being compiled. `every` selects rows that are not known to match, so a condition may be null. */
class Compilation {
  private relations = 0;
  private conditions = 0;
  /** The number of relations from the root to the current entity. */
  private crossed = 0;

  constructor(
    private readonly scope: QueryScope,
    private readonly argument: string,
  ) {}

  /** The conditions of an entity's own filter on a row of it; `keys` are what the filter asks, if not the entity's. */
  filter(entity: EntityKey, alias: string, filter: Filter, path: readonly string[], keys?: FilterKeys): string {
    this.enter(path);
    return allOf(
      Object.entries(filter).map(([key, value]) => {
        if (value === null || value === undefined) return undefined;
        const inner = [...path, key];
        if (key === 'and' || key === 'or') {
          return this.junction(key, value, (member) => this.filter(entity, alias, member, inner, keys));
        }
        return this.key(keyOf(entity, key, keys), alias, value as Filter, inner);
      }),
    );
  }

  private key(key: FilterKey, alias: string, value: Filter, path: readonly string[]): string {
    switch (key.is) {
      case 'one':
        return this.one(key, alias, value, path);
      case 'many':
        return this.many(key, alias, value, path);
      case 'nothing':
        return this.nothing(value, path);
      default:
        return this.compared(key.is, key.sql(alias, this.scope), value, path);
    }
  }

  /** The entity a row refers to. There is at most one, so each member of `and` and `or` may test it separately. */
  private one(key: OneKey, alias: string, filter: Filter, path: readonly string[]): string {
    this.enter(path);
    if (!asksForNull(filter)) {
      return hasKeys(filter)
        ? this.related(key, alias, (element) => this.filter(key.entity, element, filter, path, key.keys))
        : 'TRUE';
    }
    const { null: isNull, and, or, ...own } = filter;
    const parts = [
      this.junction('and', and, (member) => this.one(key, alias, member, [...path, 'and'])),
      this.junction('or', or, (member) => this.one(key, alias, member, [...path, 'or'])),
    ];
    if (typeof isNull === 'boolean') parts.push(`${isNull ? 'NOT ' : ''}${this.related(key, alias, () => 'TRUE')}`);
    if (hasKeys(own)) {
      parts.push(this.related(key, alias, (element) => this.filter(key.entity, element, own, path, key.keys)));
    }
    return `(${allOf(parts)})`;
  }

  private related(key: OneKey, alias: string, condition: (element: string) => string): string {
    const related = this.referred(key, alias, condition);
    return key.when ? `((${key.when(alias, this.scope)}) IS TRUE AND ${related})` : related;
  }

  private referred({ entity, column }: OneKey, alias: string, condition: (element: string) => string): string {
    const element = this.element(entity, condition);
    return this.correlates(element)
      ? `EXISTS (SELECT 1 ${element.from} WHERE ${allOf([`${element.alias}.id = ${alias}.${column}`, ...element.where])})`
      : `(${alias}.${column} IN (SELECT ${element.alias}.id ${element.from} WHERE ${allOf(element.where)})) IS TRUE`;
  }

  private many(key: ManyKey, alias: string, filter: Filter, path: readonly string[]): string {
    const { null: isNone, and, or, some, every, length, ...own } = filter;
    this.enter(path);
    const parts = [
      this.junction('and', and, (member) => this.many(key, alias, member, [...path, 'and'])),
      this.junction('or', or, (member) => this.many(key, alias, member, [...path, 'or'])),
    ];
    const exists = (filter: Filter, inner: readonly string[]): string =>
      this.some(key, alias, (element) => this.filter(key.entity, element, filter, inner));
    if (hasKeys(own)) parts.push(exists(own, path));
    if (isFilter(some)) {
      const inner = [...path, 'some'];
      parts.push(asksForAll(some) ? this.many(key, alias, some, inner) : exists(some, inner));
    }
    if (isFilter(every)) {
      const matches = (element: string) => this.filter(key.entity, element, every, [...path, 'every']);
      parts.push(`NOT ${this.some(key, alias, (element) => `(${matches(element)}) IS NOT TRUE`)}`);
    }
    if (isFilter(length)) {
      parts.push(this.compared('number', this.count(key, alias), length, [...path, 'length']));
    }
    if (typeof isNone === 'boolean') parts.push(`${isNone ? 'NOT ' : ''}${this.some(key, alias, () => 'TRUE')}`);
    return `(${allOf(parts)})`;
  }

  /** That an element of a row meets a condition; never null. */
  private some(key: ManyKey, alias: string, condition: (element: string) => string): string {
    const element = this.element(key.entity, condition, throughOf(key));
    const { from, where } = element;
    if ('array' in key)
      return `(${alias}.${key.array} && ARRAY(SELECT ${element.alias}.id ${from} WHERE ${allOf(where)}))`;
    const owner = key.owner(element.alias, this.scope);
    return this.correlates(element)
      ? `EXISTS (SELECT 1 ${from} WHERE ${allOf([`${owner} = ${alias}.id`, ...where])})`
      : `(${alias}.id IN (SELECT ${owner} ${from} WHERE ${allOf(where)})) IS TRUE`;
  }

  private count(key: ManyKey, alias: string): string {
    const element = this.element(key.entity, () => 'TRUE', throughOf(key));
    const link =
      'array' in key
        ? `${element.alias}.id = ANY(${alias}.${key.array})`
        : `${key.owner(element.alias, this.scope)} = ${alias}.id`;
    return `(SELECT count(*) ${element.from} WHERE ${allOf([link, ...element.where])})`;
  }

  /** The rows of a relation that the caller sees and that meet a condition. */
  private element(entity: EntityKey, condition: (element: string) => string, through?: OwnedKey['through']): Element {
    if (++this.relations > MAX_RELATIONS) this.tooMuch(`ask for more than ${MAX_RELATIONS} relations`);
    const { table, alias: name } = entityOf(entity);
    const alias = this.scope.alias(name);
    const between = through && (typeof through.table === 'function' ? through.table(this.scope) : through.table);
    this.crossed++;
    const own = condition(alias);
    this.crossed--;
    return {
      alias,
      from: `FROM ${table} ${alias}${between === undefined ? '' : `, ${between} x`}`,
      where: [through?.join(alias), visible(entity, alias, this.scope), own],
      isAny: own === 'TRUE',
    };
  }

  /**
   * Whether the rows of a relation are looked for row by row of those they belong to. Below another relation that would
   * read the same rows for each row of all tables above, millions of times; there they are found once for the statement,
   * and `IS TRUE` keeps the planner from joining them again. By a key alone, each row costs one look at an index.
   */
  private correlates({ isAny }: Element): boolean {
    return this.crossed === 0 || isAny;
  }

  /** The condition for a relation that never exists. */
  private nothing(filter: Filter, path: readonly string[]): string {
    const { null: isNull, and, or, ...own } = filter;
    this.enter(path);
    return `(${allOf([
      this.junction('and', and, (member) => this.nothing(member, [...path, 'and'])),
      this.junction('or', or, (member) => this.nothing(member, [...path, 'or'])),
      isNull === false || hasKeys(own) ? 'FALSE' : undefined,
    ])})`;
  }

  private compared(
    is: Parameters<typeof compare>[0],
    column: string,
    comparator: Comparator,
    path: readonly string[],
  ): string {
    return allOf(compare(is, column, comparator, this.scope, path, () => this.condition()));
  }

  /** `and` and `or` lists; an empty one is ignored. */
  private junction(
    kind: 'and' | 'or',
    members: unknown,
    compileMember: (member: Filter) => string,
  ): string | undefined {
    if (!Array.isArray(members) || members.length === 0) return undefined;
    return `(${members.map((member: Filter) => `(${compileMember(member)})`).join(kind === 'and' ? ' AND ' : ' OR ')})`;
  }

  private enter(path: readonly string[]): void {
    if (path.length > MAX_DEPTH) this.tooMuch(`be nested deeper than ${MAX_DEPTH} levels`);
    this.condition();
  }

  private condition(): void {
    if (++this.conditions > MAX_CONDITIONS) this.tooMuch(`hold more than ${MAX_CONDITIONS} conditions`);
  }

  private tooMuch(what: string): never {
    throw invalidArgument(this.argument, 'maxFilter', `${this.argument} must not ${what}`);
  }
}

function keyOf(entity: EntityKey, key: string, keys?: FilterKeys): FilterKey {
  const found = keys ? keys[key] : filterKeyOf(entity, key);
  if (!found) throw new Error(`no filter key ${key} of ${entity}`);
  return found;
}

const throughOf = (key: ManyKey): OwnedKey['through'] => ('through' in key ? key.through : undefined);
const isFilter = (value: unknown): value is Filter => typeof value === 'object' && value !== null;
/** `null` of this relation, here or in a member of its `and` and `or`. */
const asksForNull = (filter: Filter): boolean =>
  typeof filter.null === 'boolean' ||
  [filter.and, filter.or].some(
    (members) => Array.isArray(members) && members.some((member: Filter) => asksForNull(member)),
  );
/** A filter on all elements that is where one on an element may be: some collections take themselves as `some`. */
const asksForAll = (filter: Filter): boolean =>
  ['null', 'some', 'every', 'length'].some((key) => (filter[key] ?? null) !== null) ||
  [filter.and, filter.or].some(
    (members) => Array.isArray(members) && members.some((member: Filter) => asksForAll(member)),
  );
const hasKeys = (filter: Filter): boolean =>
  Object.values(filter).some((value) => value !== null && value !== undefined);

/**
 * One SQL condition on rows of `entity` under `alias`; values become parameters of `scope`. Hidden teams' entities do
 * not exist for nested filters either; archived ones do (docs/reference/tracker.md#filters).
 * @throws TrackerError (docs/reference/tracker.md#errors row 9) for ids that are no UUIDs, and for filters beyond any
 * use
 */
export function compileFilter(
  entity: EntityKey,
  filter: Filter | null | undefined,
  scope: QueryScope,
  alias: string,
  argument = 'filter',
): string {
  return filter ? new Compilation(scope, argument).filter(entity, alias, filter, [argument]) : 'TRUE';
}
