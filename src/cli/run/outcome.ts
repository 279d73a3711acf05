import type { Api } from '../kit/api.js';
import type { Traffic } from './tally.js';

/** How long the summary waits for calls and deliveries that are still under way, in milliseconds. */
const IDLE_MS = 2_000;
const PAGE = 1_000;

/** Errors of a call that the server does not know: a method, a field of the schema. */
const UNKNOWN = new Set(['unknown_method', 'GRAPHQL_VALIDATION_FAILED']);

interface CallEntry {
  id: string;
  method: string;
  ok: boolean;
  error: string | null;
  product: string;
}

interface Delivery {
  event: string | null;
  wall: string | null;
  state: string;
  target: { url: string | null };
  attempts: { error?: string; response?: { status: number } }[];
}

export interface MethodCount {
  total: number;
  ok: number;
}

export interface FailedDelivery {
  readonly event: string;
  readonly url: string | null;
  readonly error: string;
  readonly attempts: number;
}

/** What happened in a run, without the command's own end. */
export interface Outcome {
  readonly calls: {
    total: number;
    ok: number;
    refused: number;
    unknown: number;
    by_method: Record<string, MethodCount>;
  };
  readonly deliveries: { total: number; done: number; failed: number; failures: FailedDelivery[] };
  readonly unknown: { what: string; times: number }[];
}

/** Reads what happened in a sandbox after an entry of its timeline, when all is quiet or two seconds have passed. */
export async function outcomeOf(
  api: Api,
  sandbox: string,
  { after, since, traffic }: { after: string | undefined; since: number; traffic: Traffic },
): Promise<Outcome> {
  await api.call('POST', api.sandbox(sandbox, '/wait'), { body: { for: 'idle', timeout_ms: IDLE_MS } });
  const calls: Outcome['calls'] = { total: 0, ok: 0, refused: 0, unknown: 0, by_method: {} };
  const unknown = new Map<string, number>();
  for await (const { method, ok, error } of callsOf(api, sandbox, after)) {
    const counted = (calls.by_method[method] ??= { total: 0, ok: 0 });
    counted.total += 1;
    calls.total += 1;
    if (ok) {
      counted.ok += 1;
      calls.ok += 1;
    } else if (UNKNOWN.has(error ?? '')) {
      calls.unknown += 1;
      unknown.set(method, (unknown.get(method) ?? 0) + 1);
    } else calls.refused += 1;
  }
  for (const [path, times] of traffic.notOnHost.entries) {
    calls.total += times;
    calls.unknown += times;
    unknown.set(path, times);
  }
  return {
    calls,
    deliveries: await deliveriesOf(api, sandbox, since),
    unknown: [...unknown].map(([what, times]) => ({ what, times })).sort((a, b) => b.times - a.times),
  };
}

async function* callsOf(api: Api, sandbox: string, after: string | undefined): AsyncGenerator<CallEntry> {
  for (let from = after; ;) {
    const query = { kind: 'call', view: 'summary', order: 'asc', limit: PAGE, after: from };
    const page = await api.call<{ entries: CallEntry[]; cursor: string; more: boolean }>(
      'GET',
      api.sandbox(sandbox, '/timeline'),
      { query },
    );
    yield* page.entries;
    if (!page.more) return;
    from = page.cursor;
  }
}

/** One whose first attempt failed counts as failed, though another may follow after the run. */
async function deliveriesOf(api: Api, sandbox: string, since: number): Promise<Outcome['deliveries']> {
  const counted: Outcome['deliveries'] = { total: 0, done: 0, failed: 0, failures: [] };
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE, cursor };
    const page = await api.call<{ deliveries: Delivery[]; next_cursor: string }>(
      'GET',
      api.sandbox(sandbox, '/deliveries'),
      { query },
    );
    for (const delivery of page.deliveries) {
      if (delivery.wall !== null && Date.parse(delivery.wall) < since) continue;
      counted.total += 1;
      if (delivery.state === 'done') counted.done += 1;
      if (delivery.state !== 'failed' && delivery.state !== 'retrying') continue;
      counted.failed += 1;
      const last = delivery.attempts.at(-1);
      counted.failures.push({
        event: delivery.event ?? 'request',
        url: delivery.target.url,
        error: last?.error ?? (last?.response ? `status ${last.response.status}` : delivery.state),
        attempts: delivery.attempts.length,
      });
    }
    cursor = page.next_cursor || undefined;
  } while (cursor !== undefined);
  return counted;
}
