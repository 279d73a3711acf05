import { seedShapes } from '../../tenants/seeds/documents.js';
import { declareNames, declareThings, declareWords, type ThingValue } from './document.schema.js';

const HOLDERS = { Team: 'team', Project: 'project', Issue: 'issue', Comment: 'comment' } as const;

/** Tells the OpenAPI document which declared things a seed document holds. */
export function describeThings(): void {
  for (const { entity, within, as, map, names, fields, isDated } of seedShapes()) {
    const named = (isRequired: boolean): Record<string, ThingValue> =>
      Object.fromEntries(
        fields.filter((field) => field.isRequired === isRequired).map(({ name, type }) => [name, type]),
      );
    const holder = within === null ? 'tracker' : (HOLDERS[within as keyof typeof HOLDERS] ?? within);
    if (map) declareNames(holder, as);
    else if (names) declareWords(holder, as, names.isOne === true);
    else declareThings(holder, as, [named(true), { ...named(false), ...(isDated && { at: 'at' }) }], entity);
  }
}
