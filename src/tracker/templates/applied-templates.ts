import type { Type } from '@nestjs/common';
import { TypeMetadataStorage } from '@nestjs/graphql';
import { GraphQLScalarType } from 'graphql';
import { In } from 'typeorm';
import type { Tx } from '../../kernel/database/db.js';
import { validateInput } from '../graphql/validate.js';
import { Template } from './template.entity.js';
import { brokenRule, templateDiscrepancy, TrackerError, unknownReference } from '../values/errors.js';

/*
 * What new issues and projects take over from templates (docs/reference/tracker.md#template): values of the keys that
 * their input has, where the caller gave none.
 */

/** What a template is for, and whose. */
interface Use {
  readonly type: 'issue' | 'project';
  readonly teamIds: readonly string[];
}

/**
 * The template that a caller names, as it was found for the caller's eyes.
 * @param field as the caller wrote it
 * @throws unknownReference, brokenRule for one of another team or of other things
 */
export function usableTemplate(template: Template | undefined, field: string, use: Use): Template {
  if (!template) throw unknownReference(field);
  const { name, teamId, type } = template;
  if (teamId !== null && !use.teamIds.includes(teamId)) throw templateDiscrepancy(use.type);
  if (type !== use.type) {
    throw brokenRule(`${field} of another type`, `The template '${name}' is not one of ${use.type}s.`);
  }
  return template;
}

/** What an input has after a template was applied, and which of it is the template's. */
export interface Applied<T> {
  readonly input: T;
  readonly taken: ReadonlySet<string>;
}

/**
 * The input, with the template's values for what it leaves out. Values that are of another type than the input's, or
 * break its rules, are left out.
 * @param type the class of the input. @param never keys that are the caller's alone
 */
export function withTemplate<T extends object>(
  given: T,
  { templateData }: Template,
  { type, never, now }: { type: Type<T>; never: readonly string[]; now: Date },
): Applied<T> {
  const read = readersOf(type);
  const values = new Map<string, unknown>();
  for (const [key, value] of Object.entries(templateData)) {
    if (never.includes(key) || (given as Record<string, unknown>)[key] !== undefined || value === null) continue;
    const known = read.get(key)?.(value);
    if (known !== undefined) values.set(key, known);
  }
  for (;;) {
    try {
      const input = validateInput(type, { ...Object.fromEntries(values), ...given }, now);
      return { input, taken: new Set(values.keys()) };
    } catch (error) {
      const broken = error instanceof TrackerError ? (error.validationErrors ?? []) : [];
      const own = broken.filter(({ property }) => values.delete(property));
      if (own.length === 0) throw error;
    }
  }
}

/** Says of templates that they were used. */
export async function templatesApplied(tx: Tx, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length > 0) await tx.sql.update(Template, { id: In(ids.toSorted()) }, { lastAppliedAt: at });
}

type Read = (value: unknown) => unknown;

/** How the values of an input's keys are read: as GraphQL does, and undefined for what does not fit. */
function readersOf(type: Type<object>): Map<string, Read> {
  const metadata = TypeMetadataStorage.getInputTypesMetadata().find(({ target }) => target === type);
  return new Map(
    (metadata?.properties ?? []).map(({ schemaName, typeFn, options }) => {
      const isList = options.isArray === true;
      const read = readerOf(typeFn());
      const readAll: Read = (value) => {
        const all = Array.isArray(value) ? value.map(read) : [undefined];
        return all.includes(undefined) ? undefined : all;
      };
      return [schemaName, isList ? readAll : read];
    }),
  );
}

function readerOf(type: unknown): Read {
  if (type === String) return (value) => (typeof value === 'string' ? value : undefined);
  if (type === Boolean) return (value) => (typeof value === 'boolean' ? value : undefined);
  if (type instanceof GraphQLScalarType) {
    return (value) => {
      try {
        return type.parseValue(value);
      } catch {
        return undefined;
      }
    };
  }
  const words = Object.values(type as object) as unknown[];
  return (value) => (words.includes(value) ? value : undefined);
}
