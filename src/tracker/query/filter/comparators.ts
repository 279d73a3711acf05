import { argumentValidation, type ArgumentError, type TrackerError } from '../../values/errors.js';
import type { QueryScope } from '../../store/query-scope.js';
import { isUuid } from '../../values/uuid.js';
import type { ValueKey } from '../../store/filter-keys.js';

export type Comparator = Readonly<Record<string, unknown>>;

/**
 * Row 9 of docs/reference/tracker.md#errors for a value deep in an argument: `path` leads from the argument's name to
 * the value.
 */
export function refusedAt(path: readonly string[], constraint: string, message: string): TrackerError {
  const property = path.at(-1) as string;
  let error: ArgumentError = { property, children: [], constraints: { [constraint]: `${property} ${message}` } };
  for (const name of path.slice(0, -1).reverse()) error = { property: name, children: [error] };
  return argumentValidation([error]);
}

/** One operator: the SQL of "`column` stands to `value` like this". Every one is unknown or false for a null column. */
type Operator = (column: string, value: unknown, scope: QueryScope, path: readonly string[]) => string;
type Operators = Readonly<Record<string, Operator>>;

/** `eq`, `neq`, `in`, `nin` and, where there is an order, the four others. */
function comparing(
  cast: string,
  read: (value: unknown, path: readonly string[]) => unknown,
  ordered: boolean,
): Operators {
  const binary =
    (operator: string): Operator =>
    (column, value, scope, path) =>
      `${column} ${operator} ${scope.param(read(value, path), cast)}`;
  const listed =
    (operator: string): Operator =>
    (column, values, scope, path) =>
      // `<> ALL` of an empty list is true for null too, which only `null: true` may match
      `(${column} IS NOT NULL AND ${column} ${operator}(${scope.param(
        (values as unknown[]).map((value) => read(value, path)),
        `${cast}[]`,
      )}))`;
  return {
    eq: binary('='),
    neq: binary('<>'),
    in: listed('= ANY'),
    nin: listed('<> ALL'),
    ...(ordered ? { lt: binary('<'), lte: binary('<='), gt: binary('>'), gte: binary('>=') } : {}),
  };
}

function readText(value: unknown, path: readonly string[]): string {
  const text = String(value);
  // no stored text contains it, and PostgreSQL does not accept it
  if (text.includes('\0')) throw refusedAt(path, 'noNul', 'must not contain U+0000');
  return text;
}

const escaped = (value: unknown, path: readonly string[]): string =>
  readText(value, path).replace(/[\\%_]/g, (special) => `\\${special}`);

/** Without case and accents: decomposed, and the combining marks dropped. */
const folded = (sql: string): string => `regexp_replace(normalize(lower(${sql}), NFD), '[\u0300-\u036f]', '', 'g')`;

const asIs = (sql: string): string => sql;
const lower = (sql: string): string => `lower(${sql})`;

function like(
  operator: 'LIKE' | 'NOT LIKE',
  before: '%' | '',
  after: '%' | '',
  fold: (sql: string) => string,
): Operator {
  return (column, value, scope, path) =>
    `${fold(column)} ${operator} ${fold(scope.param(`${before}${escaped(value, path)}${after}`, 'text'))}`;
}

const equalIgnoringCase =
  (operator: '=' | '<>'): Operator =>
  (column, value, scope, path) =>
    `lower(${column}) ${operator} lower(${scope.param(readText(value, path), 'text')})`;

const text: Operators = {
  ...comparing('text', readText, false),
  eqIgnoreCase: equalIgnoringCase('='),
  neqIgnoreCase: equalIgnoringCase('<>'),
  startsWith: like('LIKE', '', '%', asIs),
  startsWithIgnoreCase: like('LIKE', '', '%', lower),
  notStartsWith: like('NOT LIKE', '', '%', asIs),
  endsWith: like('LIKE', '%', '', asIs),
  notEndsWith: like('NOT LIKE', '%', '', asIs),
  contains: like('LIKE', '%', '%', asIs),
  containsIgnoreCase: like('LIKE', '%', '%', lower),
  notContains: like('NOT LIKE', '%', '%', asIs),
  notContainsIgnoreCase: like('NOT LIKE', '%', '%', lower),
  containsIgnoreCaseAndAccent: like('LIKE', '%', '%', folded),
};

const readNumber = (value: unknown, path: readonly string[]): number => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw refusedAt(path, 'isNumber', 'must be a number');
  return value;
};
const integers = comparing('int4', readNumber, true);
const floats = comparing('float8', readNumber, true);
const isInt4 = (value: unknown): boolean => Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;
/** Whole numbers go as such, so that a comparison with an integer column can use its index. */
const numbers: Operators = Object.fromEntries(
  Object.keys(floats).map((name) => [
    name,
    (column, value, scope, path) =>
      ([value].flat().every(isInt4) ? integers : floats)[name]!(column, value, scope, path),
  ]),
);

function readMoment(value: unknown, path: readonly string[]): string {
  const moment = value instanceof Date ? value : new Date(String(value));
  if (Number.isNaN(moment.getTime())) throw refusedAt(path, 'isDate', 'must be a Date instance');
  return moment.toISOString();
}

function readDay(value: unknown, path: readonly string[]): string {
  const day = value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw refusedAt(path, 'isDate', 'must be a date');
  return day;
}

function readUuid(value: unknown, path: readonly string[]): string {
  if (!isUuid(value)) throw refusedAt(path, 'isUuid', 'must be a UUID');
  return value.toLowerCase();
}

/**
 * Ids with a second form in another column, `second` giving the value in that form or undefined. A value of neither
 * form matches nothing, so its negation matches everything.
 */
function twoForms(column: string, second: (value: string) => string | undefined): Operators {
  const oneOf: Operator = (idColumn, values, scope) => {
    const texts = (values as unknown[]).map(String);
    const ids = texts.filter(isUuid);
    const others = texts.filter((value) => !isUuid(value)).flatMap((value) => second(value) ?? []);
    const table = idColumn.slice(0, idColumn.lastIndexOf('.'));
    const conditions = [
      ...(ids.length > 0 ? [`${idColumn} = ANY(${scope.param(ids, 'uuid[]')})`] : []),
      ...(others.length > 0 ? [`${table}.${column} = ANY(${scope.param(others, 'text[]')})`] : []),
    ];
    return conditions.length === 0 ? 'FALSE' : `(${conditions.join(' OR ')})`;
  };
  return {
    in: oneOf,
    eq: (idColumn, value, scope, path) => oneOf(idColumn, [value], scope, path),
    nin: (idColumn, values, scope, path) => `NOT ${oneOf(idColumn, values, scope, path)}`,
    neq: (idColumn, value, scope, path) => `NOT ${oneOf(idColumn, [value], scope, path)}`,
  };
}

const boolean = comparing('boolean', Boolean, false);

const within = (value: unknown, scope: QueryScope, path: readonly string[]): string =>
  compare('text', 't.v', value as Comparator, scope, path, () => undefined).join(' AND ') || 'TRUE';

/** A list of texts: one of them, all of them, or how many there are. */
const texts: Operators = {
  some: (column, value, scope, path) =>
    `EXISTS (SELECT 1 FROM unnest(${column}) AS t (v) WHERE ${within(value, scope, path)})`,
  every: (column, value, scope, path) =>
    `NOT EXISTS (SELECT 1 FROM unnest(${column}) AS t (v) WHERE NOT (${within(value, scope, path)}))`,
  length: (column, value, scope, path) =>
    compare('number', `cardinality(${column})`, value as Comparator, scope, path, () => undefined).join(' AND ') ||
    'TRUE',
};

const operators: Record<ValueKey['is'], Operators> = {
  texts,
  text,
  number: numbers,
  boolean: { eq: boolean.eq!, neq: boolean.neq! },
  moment: comparing('timestamptz', readMoment, true),
  day: comparing('date', readDay, true),
  id: comparing('uuid', readUuid, false),
  issueId: twoForms('identifier', (value) =>
    /^[A-Za-z][A-Za-z0-9]*-\d+$/.test(value) ? value.toUpperCase() : undefined,
  ),
  projectId: twoForms('slug_id', (value) => (/^[0-9a-f]{12}$/i.test(value) ? value.toLowerCase() : undefined)),
};

/** A comparator's keys on a value, as conditions to be joined with AND; `count` is called for each. */
export function compare(
  is: ValueKey['is'],
  column: string,
  comparator: Comparator,
  scope: QueryScope,
  path: readonly string[],
  count: () => void,
): string[] {
  const conditions: string[] = [];
  for (const [key, value] of Object.entries(comparator)) {
    if (value === null || value === undefined) continue;
    count();
    if (key === 'null') conditions.push(`${column} IS ${value === true ? '' : 'NOT '}NULL`);
    else if (key === 'and' || key === 'or') {
      const members = (value as Comparator[]).map((member) => {
        const own = compare(is, column, member, scope, [...path, key], count);
        return own.length === 0 ? 'TRUE' : `(${own.join(' AND ')})`;
      });
      if (members.length > 0) conditions.push(`(${members.join(key === 'and' ? ' AND ' : ' OR ')})`);
    } else {
      const operator = operators[is][key];
      if (!operator) throw new Error(`no operator ${key} for a ${is}`);
      conditions.push(operator(column, value, scope, [...path, key]));
    }
  }
  return conditions;
}
