import type { SeedThing } from '../../tracker/entity/seed-thing.js';
import type { SeedField, SeedShape } from '../../tracker/entity/seed-shapes.js';
import type { EntityKey } from '../../tracker/store/entity-rows.js';
import type { SeedReader } from './seed-reader.js';

const NAME_MAX = 255;
const TEXT_MAX = 250_000;
const NUMBERS = 2_147_483_647;

/** The lists that an object of a document may hold besides its own fields, separated by spaces. */
export const listsWithin = (within: EntityKey | null, read: SeedReader): string =>
  read.shapes
    .filter((shape) => shape.within === within)
    .map(({ as }) => ` ${as}`)
    .join('');

/** The things below an object of a document, by their declarations (src/tracker/entity). */
export function readThings(
  within: EntityKey | null,
  object: Readonly<Record<string, unknown>>,
  path: string,
  read: SeedReader,
): SeedThing[] {
  return read.shapes
    .filter((shape) => shape.within === within)
    .flatMap((shape) => {
      const at = `${path}.${shape.as}`;
      const listed = shape.map
        ? inMap(object[shape.as], at, shape, read)
        : shape.names
          ? inNames(object[shape.as], at, shape, read)
          : read.list(object[shape.as], at).map((one, i) => ({ one, path: `${at}[${i}]` }));
      const things = listed.map(({ one, path }) => readThing(one, path, shape, read));
      const { unique } = shape;
      if (unique !== undefined) read.unique(things, ({ values }) => values[unique], unique);
      return things;
    });
}

/** `{ tada: ['alice', 'bob'] }` as a list of things. */
function inMap(value: unknown, path: string, { map, fields }: SeedShape, read: SeedReader) {
  const nameOf = (property: string | undefined) => fields.find((field) => field.property === property)?.name as string;
  return Object.entries(value === undefined || value === null ? {} : read.anyObject(value, path)).flatMap(
    ([key, names]) =>
      read.texts(names, `${path}.${key}`).map((name, i) => ({
        one: { [nameOf(map?.key)]: key, [nameOf(map?.names)]: name },
        path: `${path}.${key}[${i}]`,
      })),
  );
}

/** `['Q1', 'Q2']`, or a single name, as a list of things. */
function inNames(value: unknown, path: string, { names, fields }: SeedShape, read: SeedReader) {
  const field = fields.find(({ property }) => property === names?.property)?.name as string;
  if (!names?.isOne)
    return read.texts(value, path).map((name, i) => ({ one: { [field]: name }, path: `${path}[${i}]` }));
  const name = read.text(value, path, NAME_MAX);
  return name === undefined ? [] : [{ one: { [field]: name }, path }];
}

function readThing(value: unknown, path: string, shape: SeedShape, read: SeedReader): SeedThing {
  const { entity, fields, isDated } = shape;
  const known = ['id', ...(isDated ? ['at'] : []), ...fields.map(({ name }) => name)].join(' ');
  const given = read.object(value, path, `${known}${listsWithin(entity, read)}`);
  const values: Record<string, unknown> = {};
  const names: SeedThing['names'][number][] = [];
  for (const field of fields) {
    const at = `${path}.${field.name}`;
    const found = readField(given[field.name], at, field, read) ?? field.byDefault;
    if (found === undefined) continue;
    const { property, refersTo } = field;
    if (!refersTo) values[property] = found;
    else if (!Array.isArray(found)) names.push({ property, refersTo, name: String(found), path: at });
    else {
      for (const [i, name] of (found as string[]).entries())
        names.push({ property, refersTo, name, path: `${at}[${i}]`, isListed: true });
    }
  }
  const { oneOf } = shape;
  if (oneOf && names.filter(({ property }) => oneOf.includes(property)).length !== 1) {
    const known = fields.filter(({ property }) => oneOf.includes(property)).map(({ name }) => name);
    read.fault(path, `must name exactly one of ${known.join(', ')}`);
  }
  for (const { property, name, after } of fields) {
    const [value, other] = [values[property], values[after ?? '']];
    if (value instanceof Date && other instanceof Date && value <= other) {
      read.fault(`${path}.${name}`, `must be after ${fields.find((one) => one.property === after)?.name}`);
    }
  }
  return {
    entity,
    under: shape.under,
    id: read.uuid(given['id'], `${path}.id`),
    at: isDated ? read.at(given['at'], `${path}.at`) : undefined,
    values,
    names,
    things: readThings(entity, given, path, read),
    path,
  };
}

function readField(value: unknown, path: string, field: SeedField, read: SeedReader): unknown {
  const { type, isRequired, isWhole, max, least = -NUMBERS, oneOf } = field;
  switch (type) {
    case 'text': {
      if (field.token !== undefined) return read.token(value, path, field.token);
      const text = isRequired ? read.name(value, path, max ?? NAME_MAX) : read.text(value, path, max ?? TEXT_MAX);
      if (text !== undefined && oneOf && !oneOf.includes(text)) read.fault(path, `must be one of ${oneOf.join(', ')}`);
      return text;
    }
    case 'texts':
    case 'references':
      return value === undefined ? undefined : [...read.texts(value, path)];
    case 'reference':
      return isRequired ? read.name(value, path) : read.text(value, path, NAME_MAX);
    case 'number':
      return isWhole ? read.whole(value, path, least, NUMBERS) : read.number(value, path, least);
    case 'flag':
      return read.flag(value, path);
    case 'moment':
      return value === undefined && !isRequired ? undefined : (read.moment(value, path) ?? new Date(0));
    case 'day':
      return read.day(value, path);
    case 'json':
      return value === undefined || value === null ? undefined : read.anyObject(value, path);
  }
}
