import type { FailureReason } from '../../webhooks/guarded-http.js';

export const MAX_MS = 86_400_000;

/** Which deliveries a rule matches; absent fields match all. */
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

export const ERRORS: readonly string[] = [
  'http_timeout',
  'too_many_redirects',
  'connection_failed',
  'ssl_error',
  'http_error',
  'unknown_error',
];
