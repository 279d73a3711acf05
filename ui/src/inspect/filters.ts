import type { Entry } from './entries.js';

/** The list's filters as the address holds them: names are those of the timeline's own parameters. */
export type Filters = Readonly<Record<string, string>>;

export const FILTER_NAMES: Readonly<Record<string, string>> = {
  text: 'Text',
  kind: 'Kind',
  product: 'Product',
  method: 'Method',
  app_id: 'App',
  ok: 'Outcome',
  error: 'Error',
  channel: 'Channel',
  user: 'User',
  caller: 'Caller',
  client: 'Client',
  since: 'Since',
  until: 'Until',
  where: 'Where',
};

export const readFilters = (search: URLSearchParams): Filters =>
  Object.fromEntries([...search].filter(([key, value]) => key in FILTER_NAMES && value !== ''));

export function withFilter(filters: Filters, key: string, value: string | null): Filters {
  const { [key]: _before, ...rest } = filters;
  return value === null || value === '' ? rest : { ...rest, [key]: value };
}

export interface Preset {
  readonly name: string;
  readonly filters: Filters;
}

export const PRESETS: readonly Preset[] = [
  { name: 'All', filters: {} },
  { name: 'Failed', filters: { kind: 'call', ok: 'false' } },
  { name: 'Failed deliveries', filters: { kind: 'delivery', ok: 'false' } },
  { name: 'Rate limited', filters: { error: 'ratelimited,RATELIMITED' } },
  { name: 'Tracker', filters: { product: 'tracker' } },
];

export const sameFilters = (a: Filters, b: Filters): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value);

/** The filter that a cell of an entry stands for; undefined where there is none. */
export function filterOfCell(
  cell: 'kind' | 'name' | 'who' | 'outcome',
  entry: Entry,
): readonly [string, string] | undefined {
  const { kind, method, event, caller, error, ok, app_id: app } = entry;
  if (cell === 'kind') return ['kind', kind];
  if (cell === 'name') {
    if (method !== undefined) return ['method', method];
    return event === undefined ? undefined : ['where', JSON.stringify({ event })];
  }
  if (cell === 'who') {
    const appId = app ?? caller?.app_id;
    if (appId !== undefined) return ['app_id', appId];
    const user = caller?.user_id ?? entry.user;
    return typeof user === 'string' ? ['user', user] : undefined;
  }
  if (typeof error === 'string') return ['error', error];
  return ok === undefined ? undefined : ['ok', String(ok)];
}

/** Kinds by direction, as the arrows show it. */
export const DIRECTIONS = {
  'call,received': 'in →',
  delivery: 'out ←',
  'event,fault,reset,seed,snapshot,clock,note': 'inside •',
} as const;

/** "Outcome: failed". */
export function chipWords(key: string, value: string): string {
  if (key === 'kind' && value !== 'delivery' && value in DIRECTIONS)
    return `Direction: ${DIRECTIONS[value as keyof typeof DIRECTIONS]}`;
  if (key === 'client' && value === 'replay') return 'Only replayed calls';
  if (key === 'client') return value === 'ui' ? 'Only from this UI' : 'With those of this UI';
  if (key === 'ok') return `Outcome: ${value === 'true' ? 'ok' : 'failed'}`;
  if (key === 'since' && value === 'mark') return 'Since the last mark';
  return `${FILTER_NAMES[key] ?? key}: ${value.length > 40 ? `${value.slice(0, 38)}…` : value}`;
}

/** Calls of the UI itself are hidden by default: `ui` shows them alone, `any` shows all calls. */
function withoutOwnCalls({ client, ...filters }: Filters): Filters {
  if (client === 'any') return filters;
  if (client !== undefined) return { ...filters, client };
  const others = '{"client":{"$ne":"ui"}}';
  const where = filters['where'];
  return { ...filters, where: where === undefined ? others : `{"$and":[${others},${where}]}` };
}

/** "The last five minutes" is computed when the list is loaded. */
export function toQuery(filters: Filters, more: Readonly<Record<string, string>>): string {
  const since = /^-(\d+)m$/.exec(filters['since'] ?? '');
  const sent = since ? { ...filters, since: new Date(Date.now() - Number(since[1]) * 60_000).toISOString() } : filters;
  return new URLSearchParams({ ...withoutOwnCalls(sent), ...more }).toString();
}
