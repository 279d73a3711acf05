import { BadRequestException } from '@nestjs/common';
import type { Caller } from '../access/conversation-access.js';
import type { Identity, ScopesByType } from '../access/identity.js';
import type { ActProgress, RepliesIn } from './act-watch.js';
import type { Fields, WaitUntil } from './fields.js';

type Json = Record<string, unknown>;

/** The result of a verb, and where it happened. */
export interface VerbResult extends RepliesIn {
  readonly result: Json;
  /** Whether the app has answered in a way of its own that counts as a reply. */
  readonly isAnswered?: (seen: ActProgress) => boolean | Promise<boolean>;
  /** What it waits for by default, where that depends on what has happened. */
  readonly until?: WaitUntil;
  /** The final result, computed after the wait. */
  readonly later?: () => Promise<Json>;
}

/** One verb of `/api/act`. */
export interface Verb {
  /** The default of what it waits for. */
  readonly until: WaitUntil;
  /** The app is called and answers directly. */
  readonly isDirect: boolean;
  run(person: Identity, fields: Fields): Promise<VerbResult>;
}

export type Verbs = Readonly<Record<string, Verb>>;

/** The required scopes depend on conversation types; people need none. */
export function inTypes(person: Identity, types: readonly (keyof ScopesByType)[]): Caller {
  const accepted = Object.fromEntries(types.map((type) => [type, []]));
  return { ...person, rule: { byType: { bot: accepted, user: accepted } } };
}

/**
 * An argument that several verbs accept in one of several forms.
 * @throws BadRequestException
 */
export function requireOneForm(what: string): never {
  throw new BadRequestException([what]);
}
