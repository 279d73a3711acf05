import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { eachText, type IdSpace } from '../ids/id-space.js';

/** A sandbox's own time: an offset from real time, or stopped. */
export interface SandboxTime {
  readonly offsetMicros: number;
  /** Microseconds since 1970; null while time runs. */
  readonly frozenAt: number | null;
}

/** A call, as what it makes up is derived from it: the same call makes the same. */
export interface Draw {
  readonly seed: number;
  /** Its number among the calls of its sandbox, or what tells it from them. */
  readonly call: number | string;
  /** How many values it has made. */
  made: number;
}

/** The sandbox of a request or a background task, as far as its time and its ids go. */
export interface RequestSandbox {
  time: SandboxTime | null;
  /** Null: the server's ids. */
  ids: IdSpace | null;
  /** Null: what is made up is random. */
  draw: Draw | null;
  /** A call of this process itself, which names things as they are stored. */
  readonly isInner: boolean;
  /** Its place among the calls of its sandbox, where one takes effect after the other or the clock goes on with each. */
  step?: CallStep | undefined;
}

/** A sandbox in which something is due. */
export interface Due {
  readonly time: SandboxTime | null;
  readonly ids: IdSpace | null;
  readonly randomSeed: number;
}

/** A call that others of its sandbox may wait for. */
export interface CallStep {
  /** While it waits for something outside, others go on. */
  leave(): Promise<void>;
  resume(): Promise<void>;
  /** It was answered, or nobody waits for an answer any more. */
  end(isAnswered: boolean): Promise<void>;
}

/** The current request's, if it has one. */
export const currentStep = (): CallStep | undefined => requests.getStore()?.step;

export const requests = new AsyncLocalStorage<RequestSandbox>();

/** Runs a request in an async context of its own, in which its sandbox is entered once it is known. */
export const asRequest = (work: () => void, isInner = false): void =>
  requests.run({ time: null, ids: null, draw: null, isInner }, work);

/** Whether any sandbox of this process ever had ids of its own. */
let anyOwn = false;

/** From here on the request, or the task, is about a sandbox with these ids. Does nothing outside such a context. */
export function enterIds(ids: IdSpace | null | undefined): void {
  if (!ids && !anyOwn) return;
  const request = requests.getStore();
  if (request) request.ids = ids ?? null;
  if (ids) anyOwn = true;
}

/** Runs work for a sandbox with these ids, at the same time as before. */
export function withIds<T>(ids: IdSpace | null, work: () => T): T {
  if (ids) anyOwn = true;
  const { time = null, isInner = false, draw = null, step } = requests.getStore() ?? {};
  return requests.run({ time, ids, isInner, draw, step }, work);
}

/** What is made up from here on is derived from this call of the sandbox. */
export function enterDraw(seed: number, call: number): void {
  const request = requests.getStore();
  if (request) request.draw = { seed, call, made: 0 };
}

/** Runs work that makes up what is derived from this call; null: it is random. */
export function drawing<T>(of: Pick<Draw, 'seed' | 'call'> | null, work: () => T): T {
  if (!of) return work();
  anyOwn = true;
  const request = requests.getStore() ?? { time: null, ids: null, isInner: false };
  return requests.run({ ...request, draw: { ...of, made: 0 } }, work);
}

/**
 * Runs what the clock of a sandbox does to a thing. Whoever finds it due does it: a call, one of another sandbox, another
 * replica. So it is done as if nobody had called, and what it makes up is derived from the thing and the time.
 */
export function byClock<T>(sandbox: Due | null, thing: string, work: () => T): T {
  const { time = null, ids = null, randomSeed: seed = 1 } = sandbox ?? {};
  const frozenAt = time?.frozenAt ?? null;
  const draw = ids && frozenAt !== null ? { seed, call: `${ids.outside(thing)} at ${frozenAt}`, made: 0 } : null;
  if (ids) anyOwn = true;
  return requests.run({ time, ids, draw, isInner: false }, work);
}

/** The call that what is made up now is derived from; null: it is random. */
export const currentDraw = (): Draw | null => (anyOwn ? (requests.getStore()?.draw ?? null) : null);

/** The next value that is derived from the call, 32 bytes; null: it is to be random. */
export function drawn(): Buffer | null {
  const draw = anyOwn ? requests.getStore()?.draw : undefined;
  if (!draw) return null;
  return createHash('sha256').update(`${draw.seed}:${draw.call}:${draw.made++}`).digest();
}

/** The same for a statement that makes UUIDs itself (`drawn_uuid`). */
export function drawnForStatement(): string | null {
  const [draw, ids] = [anyOwn ? requests.getStore()?.draw : undefined, ownIds()];
  return draw && ids ? `${draw.seed}:${draw.call}:${draw.made++} ${ids.uuidShift}` : null;
}

/** What the ids of an event's deliveries are derived from; null: they are to be random. */
export function drawnForEvent(): string | null {
  const draw = anyOwn ? requests.getStore()?.draw : undefined;
  return draw ? `${draw.seed}:${draw.call}:${draw.made++}:` : null;
}

/** The ids of the sandbox that this is about: for what is derived from an id, or sent to an app. */
export const ownIds = (): IdSpace | null => (anyOwn ? (requests.getStore()?.ids ?? null) : null);

/** An id as the sandbox's callers know it: for what is derived from one. */
export const seenId = (id: string): string => ownIds()?.outside(id) ?? id;

/** The other way round: of what was made of ids as callers know them, whoever calls. */
export const storedId = (text: string): string => ownIds()?.inside(text) ?? text;

/** Whether whoever calls names things as they are stored. */
export const isInnerCall = (): boolean => requests.getStore()?.isInner === true;

/** Those in which the caller speaks. */
const callersIds = (): IdSpace | null => (isInnerCall() ? null : ownIds());

/** What the caller sent, with the ids that are stored. */
export function fromCaller<T>(value: T): T {
  const ids = callersIds();
  return ids ? eachText(value, (text) => ids.inside(text)) : value;
}

/** A text for the caller, with the ids that the caller knows. */
export function toCaller(text: string): string {
  const ids = callersIds();
  return ids ? ids.outside(text) : text;
}
