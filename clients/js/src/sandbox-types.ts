import type { Closest } from './report.js';
import type { Where } from './types.js';

export interface WaitOptions {
  /** Milliseconds; default 5,000, at most 60,000. */
  timeoutMs?: number;
  /** A cursor, `start` or `now`; default: the last mark, which a reset, a seed and `mark` make. */
  after?: string;
}

export interface WaitRequest extends WaitOptions {
  for: string;
  where?: Where;
  count?: number;
  quietMs?: number;
}

export type Product = 'chat' | 'tracker';
export type TokenKind = 'bot' | 'user' | 'refresh' | 'config' | 'access';

export interface InstallOptions {
  product?: Product;
  /** Who consents; default: the primary owner. */
  as?: string;
  decision?: 'allow' | 'deny';
  /** The app's own install URL. */
  start?: string;
  scope?: string;
  userScope?: string;
  redirectUri?: string;
  state?: string;
  actor?: string;
  channel?: string;
  /** Default true: the redirect URL is fetched. */
  follow?: boolean;
  /** The server redeems the code itself and answers `tokens`. */
  exchange?: boolean;
  timeoutMs?: number;
}

export interface Snapshot {
  id: string;
  name: string | null;
}

export interface MessageWhere extends WaitOptions {
  channel?: string;
  user?: string;
  /** A string matches messages that contain it, a regular expression those that it matches. */
  text?: string | RegExp;
  thread_ts?: string;
  [field: string]: unknown;
}

export interface Changes {
  // oxlint-disable-next-line typescript/no-explicit-any -- objects as the API shows them
  added: Record<string, any[]>;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  changed: Record<string, any[]>;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  removed: Record<string, any[]>;
  counts: Record<string, unknown>;
}

export interface Assertion {
  since?: Snapshot | string;
  expect?: Where[];
  nothingElse?: string[];
}

export interface AssertAnswer {
  passed: boolean;
  score: number;
  failures: { message?: string; nothing_else?: string; unexpected?: unknown[]; closest?: Closest[] }[];
}
