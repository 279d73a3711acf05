import type { Json } from '../api/wire.js';

/** A timeline entry; a summary lacks the bodies. */
export interface Entry {
  readonly id: string;
  readonly at: string;
  readonly wall: string;
  /** Of a call: when it began; `wall` is when it ended. */
  readonly started?: string;
  readonly kind: string;
  readonly product?: string;
  readonly method?: string;
  readonly methods?: string[];
  readonly event?: string;
  readonly caller?: { kind?: string; app_id?: string; app?: string; user_id?: string; user?: string };
  readonly status?: number;
  readonly ok?: boolean;
  readonly error?: string | null;
  readonly ms?: number;
  readonly request_id?: string;
  readonly cause?: string;
  readonly event_id?: string;
  readonly trigger_id?: string;
  readonly delivery_id?: string;
  readonly attempt?: number;
  readonly app_id?: string;
  readonly target?: { id?: string; kind?: string; url?: string | null };
  readonly next_retry_at?: string | number | null;
  readonly fault?: unknown;
  readonly acted_by?: unknown;
  readonly client?: string;
  readonly summary?: string;
  readonly channel?: string | null;
  readonly user?: string | null;
  readonly bytes?: number;
  readonly text?: string;
  /** Of a delivery's summary: the text of its event or command. */
  readonly content?: string;
  readonly cost?: { complexity: number; complexity_left: number; requests_left: number };
  readonly args?: unknown;
  readonly answer?: unknown;
  readonly data?: unknown;
  readonly request?: { headers?: Record<string, string>; body?: unknown };
  readonly response?: { status?: number; headers?: Record<string, string>; body?: unknown };
  readonly user_agent?: string;
  readonly signature?: 'accepted' | 'wrong_signature' | 'old_timestamp';
  readonly truncated?: boolean;
  readonly verified?: string | null;
  readonly inbox?: string;
  readonly room?: string;
  readonly [key: string]: unknown;
}

/** When it began, in milliseconds since 1970: what takes time is written when it ends. */
export const startOf = ({ started, wall, ms }: Entry): number =>
  started === undefined ? Date.parse(wall) - (ms ?? 0) : Date.parse(started);

/** Which comes first of those that began in the same millisecond: what causes before what it causes. */
const STEPS = ['call', 'event', 'delivery', 'received'];

/** The newest first, by when they began. */
export const newestFirst = (entries: readonly Entry[]): Entry[] =>
  entries
    .map((entry) => ({ entry, start: startOf(entry), step: STEPS.indexOf(entry.kind) }))
    .sort((a, b) => b.start - a.start || b.step - a.step)
    .map(({ entry }) => entry);

export type Direction = 'in' | 'out' | 'inside';

export const directionOf = ({ kind }: Entry): Direction =>
  kind === 'call' || kind === 'received' ? 'in' : kind === 'delivery' ? 'out' : 'inside';

export const ARROWS: Readonly<Record<Direction, string>> = { in: '→', out: '←', inside: '•' };

/** An entry's title in the list. */
export function nameOf(entry: Entry): string {
  switch (entry.kind) {
    case 'call':
      return entry.method ?? 'call';
    case 'event':
      return entry.event ?? 'event';
    case 'delivery':
      return entry.event ?? entry.target?.kind ?? 'delivery';
    case 'note':
      return entry.text ?? 'mark';
    case 'received':
      return typeof entry.name === 'string' ? entry.name : (entry.inbox ?? 'inbox');
    default:
      return [entry.kind, entry.action ?? entry.name].filter((word) => typeof word === 'string').join(' ');
  }
}

/**
 * The caller, or the target.
 * @param apps names by id
 * @param people names by id
 */
export function whoOf(entry: Entry, apps?: ReadonlyMap<string, string>, people?: ReadonlyMap<string, string>): string {
  const { caller } = entry;
  if (entry.kind === 'delivery')
    return apps?.get(entry.app_id ?? '') ?? hostOf(entry.target?.url) ?? entry.target?.kind?.replaceAll('_', ' ') ?? '';
  const person = people?.get(caller?.user_id ?? entry.user ?? '');
  return caller?.app ?? person ?? caller?.user ?? caller?.kind?.replaceAll('_', ' ') ?? entry.user ?? '';
}

const hostOf = (url: string | null | undefined): string | undefined =>
  typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined;

export interface Outcome {
  readonly words: string;
  readonly tone: 'ok' | 'bad' | 'warn' | 'plain';
}

const SHORT: Readonly<Record<string, string>> = {
  http_timeout: 'timeout',
  operation_timeout: 'timeout',
  http_client_error: 'client error',
  http_server_error: 'server error',
};

/** Summaries lack the answer, but end with its status. */
function statusIn(summary: unknown): number | undefined {
  const status = typeof summary === 'string' ? /: (\d{3})$/.exec(summary)?.[1] : undefined;
  return status === undefined ? undefined : Number(status);
}

/** A summary without the parts that have columns of their own. */
export function previewOf(entry: Entry): string {
  const summary = typeof entry.summary === 'string' ? entry.summary : '';
  if (entry.kind === 'call') return /^\S+(?: \/\S+)? → \S+: (.*)$/su.exec(summary)?.[1] ?? '';
  if (entry.kind === 'event') return /^\S+: (.*)$/su.exec(summary)?.[1] ?? '';
  if (entry.kind === 'delivery') return entry.content || (entry.target?.url ?? '');
  if (entry.kind === 'note') return '';
  return summary.startsWith(`${entry.kind} `) ? summary.slice(entry.kind.length + 1) : summary;
}

/** The outcome as a word, so that it does not depend on its colour. */
export function outcomeOf(entry: Entry): Outcome {
  const { error, status, ok } = entry;
  if (entry.kind === 'delivery') {
    const code = entry.response?.status ?? status ?? statusIn(entry.summary);
    // the app's own error says more than the fact that the delivery failed
    if (error && (code === undefined || error !== 'http_error')) return { words: SHORT[error] ?? error, tone: 'bad' };
    if (code !== undefined) return { words: String(code), tone: code < 300 ? 'ok' : 'bad' };
    return { words: ok === false ? 'failed' : ok === true ? 'acked' : 'sent', tone: ok === false ? 'bad' : 'plain' };
  }
  if (entry.kind === 'call') {
    if (ok) return { words: 'ok', tone: 'ok' };
    if (error === 'ratelimited' || status === 429) return { words: error ?? '429', tone: 'warn' };
    return { words: error ?? String(status ?? 'failed'), tone: 'bad' };
  }
  if (entry.kind === 'received')
    return { words: entry.verified ? 'verified' : String(status ?? 'unverified'), tone: 'plain' };
  return { words: '', tone: 'plain' };
}

/** Ids that join entries: the call that caused it, the event, the trigger. */
export const keysOf = (entry: Entry): string[] =>
  [entry.request_id, entry.cause, entry.event_id, entry.trigger_id].filter(
    (key): key is string => typeof key === 'string' && key !== '',
  );

/** Sentences for the reasons why an event was not delivered. */
export function reasonWords(error: string): string {
  const words: Record<string, string> = {
    http_timeout: 'no answer within 3 s',
    connection_failed: 'the address cannot be reached',
    http_error: 'an answer that is no success',
    ssl_error: 'the certificate is not accepted',
    too_many_redirects: 'too many redirects',
    lost: 'dropped by a delivery rule',
  };
  return words[error] ?? error.replaceAll('_', ' ');
}

/** What the receiver's own check makes of a signature. */
export const signatureWords = (signature: NonNullable<Entry['signature']>): string =>
  ({
    accepted: 'Your secret would accept this.',
    wrong_signature: 'Your secret would refuse this: the signature does not match.',
    old_timestamp: 'Your secret would refuse this: the timestamp is too old.',
  })[signature];

export const asJson = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
