import { VERSION } from '../../kernel/config/version.js';
import type { Entry } from './entry.js';
import { fieldsOf } from './shape.js';

/** Calls and HTTP deliveries, oldest first, as HAR 1.2. `base` is the base URL of this server. */
export function toHar(entries: readonly Entry[], base: string): object {
  return {
    log: {
      version: '1.2',
      creator: { name: 'understudy', version: VERSION },
      entries: entries.filter(isHttp).map((entry) => (entry.kind === 'call' ? ofCall(entry, base) : ofDelivery(entry))),
    },
  };
}

const isHttp = (entry: Entry): boolean =>
  entry.kind === 'call' || (entry.kind === 'delivery' && typeof fieldsOf(entry['target'])['url'] === 'string');

function ofCall(entry: Entry, base: string): object {
  const method = String(entry['method']);
  const [verb, path] = /^([A-Z]+) (\/.*)$/.exec(method)?.slice(1) ?? [
    'POST',
    entry['product'] === 'tracker'
      ? '/graphql'
      : method === 'webhooks.incoming'
        ? '/api/webhooks/incoming'
        : `/api/${method}`,
  ];
  const answer = entry['answer'];
  return har(entry, {
    request: {
      method: verb ?? 'POST',
      url: `${base}${path ?? ''}`,
      headers: { ...(typeof entry['user_agent'] === 'string' && { 'user-agent': entry['user_agent'] }) },
      body: entry['args'],
    },
    response: {
      status: Number(entry['status']),
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: answer,
    },
  });
}

function ofDelivery(entry: Entry): object {
  const request = fieldsOf(entry['request']);
  const response = fieldsOf(entry['response']);
  return har(entry, {
    request: {
      method: 'POST',
      url: String(fieldsOf(entry['target'])['url']),
      headers: fieldsOf(request['headers']),
      body: request['body'],
    },
    response: {
      // 0 is what browsers write for a request without an answer
      status: typeof response['status'] === 'number' ? response['status'] : 0,
      headers: fieldsOf(response['headers']),
      body: response['body'],
      error: typeof entry['error'] === 'string' ? entry['error'] : undefined,
    },
  });
}

interface HarMessage {
  headers: Record<string, unknown>;
  body: unknown;
}

function har(
  entry: Entry,
  {
    request,
    response,
  }: {
    request: HarMessage & { method: string; url: string };
    response: HarMessage & { status: number; error?: string | undefined };
  },
): object {
  const ms = typeof entry['ms'] === 'number' ? entry['ms'] : 0;
  const ended = new Date(entry.wall).getTime();
  const sent = textOf(request.body);
  const received = textOf(response.body);
  const mimeType = String(response.headers['content-type'] ?? 'application/json');
  return {
    startedDateTime: String(entry['started'] ?? new Date(ended - ms).toISOString()),
    time: ms,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: listOf(request.headers),
      queryString: [],
      ...(sent !== '' && {
        postData: { mimeType: String(request.headers['content-type'] ?? 'application/json'), text: sent },
      }),
      headersSize: -1,
      bodySize: Buffer.byteLength(sent),
    },
    response: {
      status: response.status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: listOf(response.headers),
      content: { size: Buffer.byteLength(received), mimeType, text: received },
      redirectURL: '',
      headersSize: -1,
      bodySize: Buffer.byteLength(received),
      ...(response.error !== undefined && { _error: response.error }),
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    _id: entry.id,
    _kind: entry.kind,
  };
}

const textOf = (body: unknown): string =>
  body === undefined || body === null ? '' : typeof body === 'string' ? body : JSON.stringify(body);

const listOf = (headers: Record<string, unknown>): object[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }));
