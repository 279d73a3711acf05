import { BadRequestException } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import type { Identity, ScopesByType } from '../access/identity.js';
import type { Fields, WaitUntil } from './fields.js';

type Json = Record<string, unknown>;

/** What became of a verb: its result, and the conversation it was done in. */
export interface VerbResult {
  readonly result: Json;
  readonly channel?: string | null;
  /** The result as it is when the act has been waited for. */
  readonly later?: () => Promise<Json>;
}

/** One verb of `/api/act`. */
export interface Verb {
  /** What it waits for by default. */
  readonly until: WaitUntil;
  /** An app is asked and answers directly. */
  readonly isDirect: boolean;
  run(person: Identity, fields: Fields): Promise<VerbResult>;
}

export type Verbs = Readonly<Record<string, Verb>>;

/** A caller to whom a method's conversations types apply; people need no scopes. */
export function inTypes(person: Identity, types: readonly (keyof ScopesByType)[]): Caller {
  const accepted = Object.fromEntries(types.map((type) => [type, []]));
  return { ...person, rule: { byType: { bot: accepted, user: accepted } } };
}

/** An argument that several verbs need in one of several forms. @throws BadRequestException */
export function demandOneOf(what: string): never {
  throw new BadRequestException([what]);
}
