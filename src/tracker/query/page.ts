import { createHash } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import type { Db, Tx } from '../../kernel/database/db.js';
import type { ConnectionSpec } from '../store/connections.js';
import { beyond, cursorWriter, orderBy, positionOf, readCursor, selectedValues, type Position } from './cursor.js';
import { entityOf, visible } from '../store/define-entity.js';
import type { EntityKey, EntityRows } from '../store/entity-rows.js';
import { invalidArgument } from '../values/errors.js';
import { compileFilter, type Filter } from './filter/compile.js';
import { orderingOf, type OrderArgs, type Ordering } from './order.js';
import type { OrderKey } from '../store/sort-keys.js';
import { allOf, QueryScope } from '../store/query-scope.js';
import type { Viewer } from '../access/viewer.js';

/** The arguments of docs/reference/tracker.md#connections with what some connections take besides. */
export interface PageArgs extends OrderArgs {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
  includeArchived?: boolean | null;
  includeDisabled?: boolean | null;
  filter?: object | null;
}

export interface PageInfo {
  startCursor: string | null;
  endCursor: string | null;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

/** A connection. Edges and cursors are computed when read: most callers select only nodes. */
export class Page<T extends object> {
  constructor(
    readonly nodes: T[],
    readonly hasNextPage: boolean,
    readonly hasPreviousPage: boolean,
    private readonly cursorOf: (node: T) => string,
  ) {}

  get edges(): { node: T; cursor: string }[] {
    return this.nodes.map((node) => ({ node, cursor: this.cursorOf(node) }));
  }

  get pageInfo(): PageInfo {
    const first = this.nodes[0];
    const last = this.nodes.at(-1);
    return {
      startCursor: first ? this.cursorOf(first) : null,
      endCursor: last ? this.cursorOf(last) : null,
      hasNextPage: this.hasNextPage,
      hasPreviousPage: this.hasPreviousPage,
    };
  }

  /** The same page with mapped nodes; cursors stay those of the rows. */
  map<U extends object>(change: (node: T) => U): Page<U> {
    const rows = new Map<U, T>();
    const nodes = this.nodes.map((node) => {
      const changed = change(node);
      rows.set(changed, node);
      return changed;
    });
    return new Page(nodes, this.hasNextPage, this.hasPreviousPage, (node) => this.cursorOf(rows.get(node) as T));
  }
}

export interface PageRequest {
  viewer: Viewer;
  now: Date;
  args: PageArgs;
  /** A condition besides access, tenancy, archive and filter. Values go through `scope.param`. */
  where?(alias: string, scope: QueryScope): string | undefined;
  /** Orders before `sort` and `orderBy`; names itself in cursors. */
  leading?: { name: string; keys(alias: string, scope: QueryScope): OrderKey[] };
}

/** Where rows are read: the store, or a transaction. */
export type Reader = Pick<Db, 'read' | 'readText'> | Pick<Tx, 'query' | 'queryText'>;

const DEFAULT_SIZE = 50;
const MAX_SIZE = 250;

/** How many and from which end (docs/reference/tracker.md#connections). */
interface Window {
  /** Read from the end, in reverse order. */
  reversed: boolean;
  size: number;
  /** With both `first` and `last`: the page is cut to its last ones. */
  keepLast?: number;
}

function windowOf({ first, last, after, before }: PageArgs): Window {
  for (const [name, size] of Object.entries({ first, last })) {
    if (typeof size !== 'number') continue;
    if (size > MAX_SIZE) throw invalidArgument(name, 'max', `${name} must not be greater than ${MAX_SIZE}`);
    if (!(size >= 1)) throw invalidArgument(name, 'min', `${name} must not be less than 1`);
  }
  if (typeof first === 'number') {
    return { reversed: false, size: first, ...(typeof last === 'number' ? { keepLast: last } : {}) };
  }
  if (typeof last === 'number') return { reversed: true, size: last };
  return { reversed: typeof before === 'string' && typeof after !== 'string', size: DEFAULT_SIZE };
}

/** A selected row: the entity's columns, and further values that the page needs. */
type PageRow = QueryResultRow & { id: string | null; '~parent'?: string; '~less'?: boolean; '~more'?: boolean };

/** The statement of one page, or of one page a parent. */
class PageStatement {
  readonly ordering: Ordering;
  private readonly scope: QueryScope;
  private readonly window: Window;
  private readonly table: string;
  private readonly alias: string;
  private readonly condition: string;
  private readonly parentTable: string | undefined;

  constructor(
    private readonly entity: EntityKey,
    private readonly request: PageRequest,
    private readonly parents?: { spec: ConnectionSpec; ids: readonly string[] },
  ) {
    const { viewer, now, args, where } = request;
    const { table, alias, listed } = entityOf(entity);
    this.scope = new QueryScope(viewer, now);
    this.window = windowOf(args);
    this.alias = alias;
    // the first parameter: every parent shares one text
    const parentIds = parents && this.scope.param(parents.ids, 'uuid[]');
    this.parentTable = parentIds ? `unnest(${parentIds}) AS par (id)` : undefined;
    this.table = `${table} ${alias}${parents?.spec.join ? ` ${parents.spec.join('par.id')}` : ''}`;
    this.ordering = this.orderingIn(this.scope);
    this.condition = allOf([
      parents?.spec.link(alias, 'par.id', this.scope),
      visible(entity, alias, this.scope),
      listed?.(alias, this.scope, args),
      where?.(alias, this.scope),
      compileFilter(entity, args.filter as Filter | null | undefined, this.scope, alias),
    ]);
  }

  private orderingIn(scope: QueryScope): Ordering {
    const { args, leading } = this.request;
    const { name, keys } = orderingOf(this.entity, args, this.alias, scope);
    const natural = args.orderBy ? undefined : this.parents?.spec.natural;
    if (natural) return { name: 'natural', keys: [natural, ...keys] };
    if (leading) return { name: `${leading.name},${name}`, keys: [...leading.keys(this.alias, scope), ...keys] };
    return { name, keys };
  }

  async run(on: Reader): Promise<{ rows: PageRow[]; page(rows: PageRow[]): Page<object> }> {
    const after = await this.position(on, 'after');
    const before = await this.position(on, 'before');
    if (after === null || before === null) return { rows: [], page: () => this.assemble([], false, false) };

    const { scope, ordering, window } = this;
    const inside = allOf([
      this.condition,
      after && beyond(ordering, after, 'after', scope),
      before && beyond(ordering, before, 'before', scope),
    ]);
    const columns = `${entityOf(this.entity).columns(this.alias)}${selectedValues(ordering)}`;
    let text = `SELECT ${columns} FROM ${this.table} WHERE ${inside} ORDER BY ${orderBy(ordering, window.reversed)} LIMIT ${window.size + 1}`;
    // Whether there are rows on the far side of a cursor; in the ordering, so that an index finds the nearest at once.
    const outside = (position: Position, side: 'after' | 'before', name: string): string =>
      `(SELECT true FROM ${this.table} WHERE ${allOf([this.condition, beyond(ordering, position, side, scope, true)])}
        ORDER BY ${orderBy(ordering, side === 'before')} LIMIT 1) AS "${name}"`;
    const flags = [after && outside(after, 'before', '~less'), before && outside(before, 'after', '~more')].filter(
      Boolean,
    );
    if (flags.length > 0 || this.parentTable) {
      const outer = [
        ...(this.parentTable ? [this.parentTable] : []),
        ...(flags.length > 0 ? [`LATERAL (SELECT ${flags.join(', ')}) flags`] : []),
      ];
      const selected = [this.parentTable ? 'par.id AS "~parent"' : '', flags.length > 0 ? 'flags.*' : '', 'paged.*'];
      text = `SELECT ${selected.filter(Boolean).join(', ')} FROM ${outer.join(' CROSS JOIN ')} LEFT JOIN LATERAL (${text}) paged ON true`;
    }
    const read = (): Promise<PageRow[]> => send<PageRow>(on, text, scope.values, isStable(this.request));
    const { answer } = this.request.viewer;
    const rows = answer ? await answer.read(`${text}\n${JSON.stringify(scope.values)}`, read) : await read();
    return {
      rows,
      page: (own) => {
        const less = after !== undefined && own[0]?.['~less'] === true;
        const more = before !== undefined && own[0]?.['~more'] === true;
        return this.assemble(
          own.filter((row) => row.id !== null),
          less,
          more,
        );
      },
    };
  }

  /** The rows of one page as they came, one more than asked for when there is more in reading direction. */
  private assemble(rows: PageRow[], less: boolean, more: boolean): Page<object> {
    const { reversed, size, keepLast } = this.window;
    const overflow = rows.length > size;
    let nodes = overflow ? rows.slice(0, size) : rows;
    if (reversed) nodes = nodes.reverse();
    const cut = keepLast !== undefined && nodes.length > keepLast;
    if (cut) nodes = nodes.slice(-keepLast);
    return new Page<object>(
      nodes,
      reversed ? more : overflow || more,
      reversed ? overflow || less : cut || less,
      cursorWriter(this.ordering),
    );
  }

  /** The position of `after` or `before`: undefined without one, null when its row no longer exists. */
  private async position(on: Reader, side: 'after' | 'before'): Promise<Position | null | undefined> {
    const text = this.request.args[side];
    if (typeof text !== 'string') return undefined;
    const cursor = readCursor(text, this.ordering);
    if (!cursor) throw invalidArgument(side, 'isCursor', `${side} is not a valid cursor`);
    if (cursor.values) return cursor;
    // Made under another ordering: the row's values give the position in this one.
    const { viewer, now } = this.request;
    const scope = new QueryScope(viewer, now);
    const parent = this.parents && scope.param(this.parents.ids.slice(0, 1), 'uuid[]');
    const spec = entityOf(this.entity);
    const [row] = await send<Record<string, unknown>>(
      on,
      `SELECT ${spec.columns(this.alias)}${selectedValues(this.orderingIn(scope))}
       FROM ${parent ? `unnest(${parent}) AS par (id) CROSS JOIN ` : ''}${this.table}
       WHERE ${this.alias}.id = ${scope.param(cursor.id, 'uuid')} AND ${visible(this.entity, this.alias, scope)}`,
      scope.values,
      false,
    );
    return row ? positionOf(this.ordering, row) : null;
  }
}

/** Texts that come again and again are prepared once a connection; a filter's text may never come again. */
const isStable = ({ args, leading, where }: PageRequest): boolean =>
  !args.filter && !leading && !where && (args.sort?.length ?? 0) === 0;

const preparedNames = new Map<string, string>();
const MAX_PREPARED = 200;

function preparedName(text: string): string | undefined {
  let name = preparedNames.get(text);
  if (name === undefined && preparedNames.size < MAX_PREPARED) {
    name = `tracker_page_${createHash('sha1').update(text).digest('hex').slice(0, 20)}`;
    preparedNames.set(text, name);
  }
  return name;
}

function send<R extends QueryResultRow>(on: Reader, text: string, values: unknown[], stable: boolean): Promise<R[]> {
  const name = stable ? preparedName(text) : undefined;
  if ('queryText' in on) return name ? on.query<R>({ name, text }, values) : on.queryText<R>(text, values);
  return name ? on.read<R>({ name, text }, values) : on.readText<R>(text, values);
}

/**
 * A page of an entity as the caller may see it, in one statement (two when a cursor was made under another ordering).
 * @throws TrackerError (docs/reference/tracker.md#errors row 9) for a page size, cursor, filter or sort that cannot be
 */
export async function page<K extends EntityKey>(
  on: Reader,
  entity: K,
  request: PageRequest,
): Promise<Page<EntityRows[K]>> {
  const { rows, page: assemble } = await new PageStatement(entity, request).run(on);
  return assemble(rows) as Page<EntityRows[K]>;
}

/** The same connection of many parents, in one statement for all of them. Every parent has an entry. */
export async function pagesByParent<K extends EntityKey>(
  on: Reader,
  connection: ConnectionSpec<K>,
  parentIds: readonly string[],
  request: PageRequest,
): Promise<Map<string, Page<EntityRows[K]>>> {
  const statement = new PageStatement(connection.entity, request, { spec: connection, ids: parentIds });
  const { rows, page: assemble } = await statement.run(on);
  const byParent = new Map<string, PageRow[]>(parentIds.map((id) => [id, []]));
  for (const row of rows) byParent.get(row['~parent'] as string)?.push(row);
  return new Map([...byParent].map(([id, own]) => [id, assemble(own) as Page<EntityRows[K]>] as const));
}

/**
 * The first page of rows that are at hand already, in the order of their ids in the parent's own list: as a connection
 * whose `natural` order is the place in that list makes it.
 */
export function pageInOrder<R extends { id: string }>(ids: readonly string[], rows: R[]): Page<R> {
  const keys: OrderKey[] = [
    { sql: '', kind: 'number', descending: false },
    { sql: '', kind: 'moment', descending: true, property: 'createdAt' },
    { sql: '', kind: 'id', descending: true, property: 'id' },
  ];
  const write = cursorWriter({ name: 'natural', keys });
  return new Page(rows, false, false, (row) => write({ ...row, '~0': ids.indexOf(row.id) + 1 }));
}
