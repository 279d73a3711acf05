import { BadRequestException } from '@nestjs/common';
import type { FailureReason } from '../../webhooks/guarded-http.js';
import { MatcherError } from '../matchers/matcher-error.js';
import { isObject, readMatcher, type Matcher } from '../matchers/matcher.js';

export const MOST_MS = 86_400_000;

/** Which deliveries a rule is about; what is absent fits all. */
export interface RuleOn {
  readonly target?: string;
  readonly kind?: string;
  readonly event?: string;
  readonly where?: unknown;
}

export type RuleAction =
  | { readonly type: 'hold' | 'drop' | 'bad_signature' }
  | { readonly type: 'delay'; readonly ms: number }
  | { readonly type: 'duplicate'; readonly copies: number; readonly gap_ms: number }
  | { readonly type: 'reorder'; readonly window: number; readonly order: 'reversed' | 'shuffled' }
  | { readonly type: 'stale_timestamp'; readonly seconds: number }
  | { readonly type: 'answer'; readonly status?: number; readonly error?: FailureReason };

export const ACTIONS = [
  'hold',
  'drop',
  'delay',
  'duplicate',
  'reorder',
  'bad_signature',
  'stale_timestamp',
  'answer',
] as const satisfies readonly RuleAction['type'][];

export interface NewRule {
  readonly on: RuleOn;
  readonly action: RuleAction;
  readonly times: number | null;
  readonly skip: number;
}

export const ERRORS: readonly string[] = [
  'http_timeout',
  'too_many_redirects',
  'connection_failed',
  'ssl_error',
  'http_error',
  'unknown_error',
];

const refuse = (message: string): never => {
  throw new BadRequestException([message]);
};

const PLACES = ['target', 'kind', 'event'] as const;
const MOST_LETTERS = 300;

/** What each action takes. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  hold: [],
  drop: [],
  bad_signature: [],
  delay: ['ms'],
  duplicate: ['copies', 'gap_ms'],
  reorder: ['window', 'order'],
  stale_timestamp: ['seconds'],
  answer: ['status', 'error'],
};

function demandKnown(sent: object, known: readonly string[], path: string): void {
  for (const key of Object.keys(sent)) if (!known.includes(key)) refuse(`${path}${key}: no such field`);
}

function integer(value: unknown, path: string, [min, max]: readonly [number, number], fallback?: number): number {
  if (value === undefined && fallback !== undefined) return fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  return refuse(`${path} must be a whole number from ${min} to ${max}`);
}

/** @throws BadRequestException with the path of the fault */
export function readRule(body: Readonly<Record<string, unknown>>): NewRule {
  const { on = {}, do: action, times = null, skip } = body;
  demandKnown(body, ['on', 'do', 'times', 'skip'], '');
  if (!isObject(on)) return refuse('on must be an object');
  // a word that is misspelt would make a rule for everything
  demandKnown(on, [...PLACES, 'where'], 'on.');
  for (const key of PLACES) {
    const value = on[key];
    if (value !== undefined && (typeof value !== 'string' || value.length > MOST_LETTERS)) {
      refuse(`on.${key} must be a string of at most ${MOST_LETTERS} characters`);
    }
  }
  whereOf(on);
  if (!isObject(action)) return refuse('do must be an object');
  demandKnown(action, ['type', ...(FIELDS[String(action['type'])] ?? Object.keys(action))], 'do.');
  return {
    on,
    action: readAction(action),
    times: times === null ? null : integer(times, 'times', [1, 1_000_000_000]),
    skip: integer(skip, 'skip', [0, 1_000_000_000], 0),
  };
}

/** @throws BadRequestException */
export function whereOf(on: RuleOn): Matcher | undefined {
  if (on.where === undefined) return undefined;
  try {
    return readMatcher(on.where, 'on.where');
  } catch (error) {
    if (error instanceof MatcherError) return refuse(error.message);
    throw error;
  }
}

function readAction(action: Readonly<Record<string, unknown>>): RuleAction {
  switch (action['type']) {
    case 'hold':
    case 'drop':
    case 'bad_signature':
      return { type: action['type'] };
    case 'delay':
      return { type: 'delay', ms: integer(action['ms'], 'do.ms', [0, MOST_MS]) };
    case 'duplicate':
      return {
        type: 'duplicate',
        copies: integer(action['copies'], 'do.copies', [2, 20], 2),
        gap_ms: integer(action['gap_ms'], 'do.gap_ms', [0, MOST_MS], 0),
      };
    case 'reorder': {
      const { order = 'reversed' } = action;
      if (order !== 'reversed' && order !== 'shuffled') return refuse('do.order must be reversed or shuffled');
      return { type: 'reorder', window: integer(action['window'], 'do.window', [2, 100]), order };
    }
    case 'stale_timestamp':
      return { type: 'stale_timestamp', seconds: integer(action['seconds'], 'do.seconds', [0, 1_000_000_000]) };
    case 'answer': {
      const { status, error } = action;
      if (error !== undefined && !ERRORS.includes(error as string))
        return refuse(`do.error must be one of ${ERRORS.join(', ')}`);
      if (status === undefined && error === undefined) return refuse('do needs a status or an error');
      return {
        type: 'answer',
        ...(status !== undefined && { status: integer(status, 'do.status', [200, 599]) }),
        ...(error !== undefined && { error: error as FailureReason }),
      };
    }
    default:
      return refuse('do.type must be hold, drop, delay, duplicate, reorder, bad_signature, stale_timestamp or answer');
  }
}
