import { snakeCase } from '../../kernel/database/store-names.js';
import type { EntityAccess } from '../store/hidden-teams.js';
import { entityOf } from '../store/define-entity.js';
import type { EntityKey } from '../store/entity-rows.js';

/* Hand-written: parts of conditions, for entities that are seen with others. */

/** Seen with the entity that `property` names: what hides that, hides this as well. */
export function accessWith<P extends string>(entity: EntityKey, property: P): EntityAccess<Record<P, string>> {
  return {
    condition: (alias, hidden) => {
      const { table, access } = entityOf(entity);
      const above = `${alias}_${snakeCase(property)}`;
      const seen = access ? ` AND ${access.condition(above, hidden)}` : '';
      return `EXISTS (SELECT 1 FROM ${table} ${above} WHERE ${above}.id = ${alias}.${snakeCase(property)}${seen})`;
    },
    isHidden: async ({ [property]: id }, _isHidden, read) => (await read.row(entity, id as string)) === null,
  };
}

/** Seen by whom all of these show it. */
export function seenWithAll<R>(...parts: readonly EntityAccess<never>[]): EntityAccess<R> {
  return {
    condition: (alias, hidden) => parts.map((part) => `(${part.condition(alias, hidden)})`).join(' AND '),
    isHidden: async (row, isHidden, read) =>
      (await Promise.all(parts.map((part) => part.isHidden(row as never, isHidden, read)))).some(Boolean),
  };
}

/** Seen by whom this shows it, where it has what `property` names, and by everybody otherwise. */
export function seenWithAny<P extends string>(entity: EntityKey, property: P): EntityAccess<Record<P, string | null>> {
  const part = accessWith(entity, property);
  return {
    condition: (alias, hidden) => `(${alias}.${snakeCase(property)} IS NULL OR ${part.condition(alias, hidden)})`,
    isHidden: async (row, isHidden, read) =>
      row[property] !== null && (await part.isHidden(row as Record<P, string>, isHidden, read)),
  };
}

/** Seen by whom one of these shows it: of things that belong to one of several. */
export function seenWithOne<R>(...parts: readonly EntityAccess<never>[]): EntityAccess<R> {
  return {
    condition: (alias, hidden) => `(${parts.map((part) => `(${part.condition(alias, hidden)})`).join(' OR ')})`,
    isHidden: async (row, isHidden, read) =>
      (await Promise.all(parts.map((part) => part.isHidden(row as never, isHidden, read)))).every(Boolean),
  };
}
