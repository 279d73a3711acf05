import { RestError } from '../../kernel/http/http-error.js';
import { isObject, type Matcher } from '../matchers/matcher.js';
import { matcherOf } from '../timeline/filters.js';

export type FaultType =
  'ratelimited' | 'error' | 'http' | 'delay' | 'drop' | 'slow' | 'truncate' | 'lose_answer' | 'duplicate';

export const TYPES: readonly FaultType[] = [
  'ratelimited',
  'error',
  'http',
  'delay',
  'drop',
  'slow',
  'truncate',
  'lose_answer',
  'duplicate',
];
/** These hit when the call has taken effect. */
export const AFTER_EFFECT = new Set<FaultType>(['lose_answer', 'duplicate', 'truncate', 'slow']);

export const CALLERS = ['bot', 'user', 'app', 'jwt', 'api_key', 'webhook'];
const MAX_BODY = 64 * 1024;
export const MAX_MS = 120_000;
/** Headers that would reach beyond the one answer, or that are the connection's. */
const REFUSED_HEADERS = new Set([
  'set-cookie',
  'clear-site-data',
  'refresh',
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
]);

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
}

export interface FaultOn {
  readonly method: string;
  readonly app?: string;
  readonly caller?: string;
  readonly where?: unknown;
}

/** A fault as it is asked for. */
export interface FaultRequest {
  readonly on: FaultOn;
  readonly where: Matcher | null;
  readonly fault: FaultAction;
  readonly times: number | null;
  readonly skip: number;
  readonly probability: number | null;
  readonly randomSeed: number;
}

const refuse = (path: string, expected: string): never => {
  throw new RestError(400, `${path}: ${expected}`);
};

/** @throws RestError 400 with the path of what is wrong */
export function readFault(body: Readonly<Record<string, unknown>>): FaultRequest {
  const known = ['on', 'fault', 'times', 'skip', 'probability', 'random_seed'];
  for (const key of Object.keys(body)) if (!known.includes(key)) refuse(key, 'no such field');
  const on = readOn(body['on']);
  return {
    on,
    where: on.where === undefined ? null : matcherOf(on.where, 'on.where'),
    fault: readAction(body['fault']),
    times: body['times'] === null ? null : whole(body['times'] ?? 1, 'times', 1, 1e9),
    skip: whole(body['skip'] ?? 0, 'skip', 0, 1e9),
    probability: body['probability'] === undefined || body['probability'] === null ? null : share(body['probability']),
    randomSeed: whole(body['random_seed'] ?? 1, 'random_seed', -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  };
}

function readOn(on: unknown): FaultOn {
  if (!isObject(on)) return refuse('on', 'must be an object');
  for (const key of Object.keys(on)) {
    if (!['method', 'app', 'caller', 'where'].includes(key)) refuse(`on.${key}`, 'no such field');
  }
  const { method, app, caller, where } = on;
  if (typeof method !== 'string' || method === '' || method.length > 300) {
    return refuse(
      'on.method',
      'must be a method, a family like conversations.*, a GraphQL root field, a control route or *',
    );
  }
  if (app !== undefined && (typeof app !== 'string' || app === '' || app.length > 300))
    refuse('on.app', 'must be the name or id of an app');
  if (caller !== undefined && !CALLERS.includes(caller as string))
    refuse('on.caller', `must be one of ${CALLERS.join(', ')}`);
  if (where !== undefined && !isObject(where)) refuse('on.where', 'must be a matcher over the call');
  return {
    method,
    ...(app !== undefined && { app: app as string }),
    ...(caller !== undefined && { caller: caller as string }),
    ...(where !== undefined && { where }),
  };
}

function readAction(fault: unknown): FaultAction {
  if (!isObject(fault)) return refuse('fault', 'must be an object');
  const type = fault['type'] as FaultType;
  if (!TYPES.includes(type)) return refuse('fault.type', `must be one of ${TYPES.join(', ')}`);
  const fields = FIELDS[type];
  for (const key of Object.keys(fault)) {
    if (key !== 'type' && !fields.includes(key)) refuse(`fault.${key}`, `no field of ${type}`);
  }
  const given = <T>(name: string, read: (value: unknown, path: string) => T): Record<string, T> =>
    fault[name] === undefined ? {} : { [name]: read(fault[name], `fault.${name}`) };
  const between = (low: number, high: number) => (value: unknown, path: string) => whole(value, path, low, high);
  const action = {
    type,
    ...given('retry_after', between(0, 86_400)),
    ...given('error', code),
    ...given('code', code),
    ...given('message', (value, path) => text(value, path, 2_000)),
    ...given('status', between(200, 599)),
    ...given('body', (value, path) => text(value, path, MAX_BODY)),
    ...given('headers', headers),
    ...given('ms', between(0, MAX_MS)),
    ...given('min_ms', between(0, MAX_MS)),
    ...given('max_ms', between(0, MAX_MS)),
    ...given('bytes_per_second', between(1, 1e9)),
    ...given('how', (value, path) =>
      ['drop', 'timeout', 'http'].includes(value as string)
        ? (value as string)
        : refuse(path, 'must be one of drop, timeout, http'),
    ),
  } as unknown as FaultAction;
  demandWhole(action);
  return action;
}

const FIELDS: Readonly<Record<FaultType, readonly string[]>> = {
  ratelimited: ['retry_after'],
  error: ['error', 'code', 'message', 'status'],
  http: ['status', 'body', 'headers'],
  delay: ['ms', 'min_ms', 'max_ms'],
  drop: [],
  slow: ['bytes_per_second'],
  truncate: [],
  lose_answer: ['how'],
  duplicate: [],
};

function demandWhole(action: FaultAction): void {
  if (action.type === 'error' && action.error === undefined && action.code === undefined) {
    refuse('fault.error', 'must be the code of a refusal');
  }
  if (action.type === 'http' && action.status === undefined) refuse('fault.status', 'must be a number from 200 to 599');
  if (action.type === 'slow' && action.bytes_per_second === undefined) {
    refuse('fault.bytes_per_second', 'must be a number from 1');
  }
  if (action.type !== 'delay') return;
  const range = action.min_ms !== undefined || action.max_ms !== undefined;
  if (action.ms === undefined && !range) refuse('fault.ms', `must be a number from 0 to ${MAX_MS}`);
  if (range && (action.min_ms ?? 0) > (action.max_ms ?? MAX_MS)) refuse('fault.max_ms', 'must not be below min_ms');
}

function whole(value: unknown, path: string, low: number, high: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high) {
    return refuse(path, `must be a whole number from ${low} to ${high}`);
  }
  return value;
}

function share(value: unknown): number {
  if (typeof value !== 'number' || !(value >= 0 && value <= 1))
    return refuse('probability', 'must be a number from 0 to 1');
  return value;
}

const code = (value: unknown, path: string): string =>
  typeof value === 'string' && /^[A-Za-z0-9_.:-]{1,100}$/.test(value) ? value : refuse(path, 'must be a code');

const text = (value: unknown, path: string, most: number): string =>
  typeof value === 'string' && Buffer.byteLength(value) <= most
    ? value
    : refuse(path, `must be a text of at most ${most} bytes`);

/** Also those of inboxes' answers. */
export function headers(value: unknown, path: string): Record<string, string> {
  if (!isObject(value)) return refuse(path, 'must be an object');
  const entries = Object.entries(value);
  if (entries.length > 50) refuse(path, 'has at most 50 headers');
  for (const [name, content] of entries) {
    const here = `${path}.${name}`;
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) refuse(here, 'no name of a header');
    if (REFUSED_HEADERS.has(name.toLowerCase())) refuse(here, 'this header may not be set');
    // oxlint-disable-next-line no-control-regex
    if (typeof content !== 'string' || content.length > 8_000 || /[^\t\x20-\x7e\x80-\xff]/.test(content)) {
      refuse(here, 'must be a text without line breaks');
    }
  }
  return value as Record<string, string>;
}
