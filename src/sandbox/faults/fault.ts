export const TYPES = [
  'ratelimited',
  'error',
  'http',
  'delay',
  'drop',
  'slow',
  'truncate',
  'lose_answer',
  'duplicate',
  'redirect',
  'expire_stream',
] as const;
export type FaultType = (typeof TYPES)[number];

/** These are applied when the call has taken effect. */
export const AFTER_EFFECT = new Set<FaultType>(['lose_answer', 'duplicate', 'truncate', 'slow', 'redirect']);

/** The methods at which a stream can be made to expire. */
export const STREAM_METHODS = ['chat.appendStream', 'chat.stopStream'];

export const MAX_MS = 120_000;

export interface FaultAction {
  readonly type: FaultType;
  readonly retry_after?: number;
  readonly error?: string;
  readonly code?: string;
  readonly message?: string;
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ms?: number;
  readonly min_ms?: number;
  readonly max_ms?: number;
  readonly bytes_per_second?: number;
  readonly how?: 'drop' | 'timeout' | 'http';
  readonly set?: Readonly<Record<string, string>>;
  readonly remove?: readonly string[];
}

export interface FaultOn {
  readonly method: string;
  readonly app?: string;
  readonly caller?: string;
  readonly where?: unknown;
}
