import { snakeCase } from '../../kernel/database/store-names.js';
import type { EntityKey } from '../store/entity-rows.js';
import { type Declared, declaredEntities, relationName, type SeedPlace } from './declare.js';
import { type Field, isStored, type SeedType } from './fields.js';

/** A field of a thing in a seed document. Plain data: documents are read in a thread of their own. */
export interface SeedField {
  /** The row's. */
  readonly property: string;
  /** The document's. */
  readonly name: string;
  readonly type: SeedType;
  readonly isRequired: boolean;
  readonly max?: number;
  readonly least?: number;
  readonly isWhole: boolean;
  readonly oneOf?: readonly string[];
  /** The property that it must be later than. */
  readonly after?: string;
  /** A secret with this prefix. */
  readonly token?: string;
  /** The name that a reference has where a document says none. */
  readonly byDefault?: string;
  /** What a reference names, or each of a list. */
  readonly refersTo?: EntityKey;
  /** JSON that has names for ids. */
  readonly hasNames?: true;
}

/** How a document holds the things of a kind: a list below another thing, or below `tracker`. */
export interface SeedShape {
  readonly entity: EntityKey;
  /** What their list is in; null: the organization. */
  readonly within: EntityKey | null;
  readonly as: string;
  /** The property that names what their list is in. */
  readonly under?: string;
  /** Not a list: the names of a reference, by the values of a field. */
  readonly map?: { readonly key: string; readonly names: string };
  /** Not objects: the names of a reference, or a single one. */
  readonly names?: { readonly property: string; readonly isOne?: true };
  /** A field that no two of a list share. */
  readonly unique?: string;
  /** The references of which a thing has exactly one. */
  readonly oneOf?: readonly string[];
  /** Whether a document says when they were made. */
  readonly isDated: boolean;
  readonly fields: readonly SeedField[];
}

/** The things that seed documents hold by their declaration. */
export const seedShapes = (): SeedShape[] => declaredEntities().flatMap(shapesOf);

export const shapesOf = (entity: Declared): SeedShape[] => entity.seeds.map((place) => shapeOf(entity, place));

function shapeOf({ name, fields, owners }: Declared, place: SeedPlace): SeedShape {
  const { under, as, map, names, unique, isDated = false } = place;
  const isOwned = owners.length > 1;
  const others = isOwned && under !== undefined ? owners.map(({ property }) => property) : [under];
  const own = Object.entries(fields).filter(
    ([property, field]) => !others.includes(property) && isStored(field) && field.options.seed !== false,
  );
  return {
    entity: name,
    within: under === undefined ? null : (fields[under]?.refersTo as EntityKey),
    as,
    ...(under !== undefined && { under }),
    ...(map && { map }),
    ...(names && { names }),
    ...(unique !== undefined && { unique }),
    ...(isOwned && under === undefined && { oneOf: owners.map(({ property }) => property) }),
    isDated,
    fields: own.map(([property, field]) => fieldOf(property, field)),
  };
}

function fieldOf(property: string, { type, options, refersTo, lists }: Field): SeedField {
  const { max, least, after, oneOf, token, hasNames, seed, seedDefault, create } = options;
  const isLeftOut = options.nullable || options.default !== undefined || create === false || create === 'optional';
  const isOptional = seedDefault === undefined ? isLeftOut : seedDefault !== false;
  return {
    property,
    name: seed || snakeCase(refersTo ? relationName(property) : property),
    type: type.seed,
    isRequired: !isOptional,
    isWhole: type.column === 'integer',
    ...(least !== undefined && { least }),
    ...(max !== undefined && { max }),
    ...(after !== undefined && { after }),
    ...(oneOf !== undefined && { oneOf }),
    ...(token !== undefined && { token }),
    ...(hasNames && { hasNames }),
    ...(typeof seedDefault === 'string' && { byDefault: seedDefault }),
    ...((refersTo ?? lists) && { refersTo: refersTo ?? lists }),
  };
}
