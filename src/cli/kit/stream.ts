import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, refusalOf, type Api } from './api.js';
import type { Entry } from './entry-line.js';
import { say } from './output.js';

const RETRY_MS = [500, 1_000, 2_000, 5_000];

interface StreamOptions {
  path: string;
  query: Record<string, string | undefined>;
  onEntry: (entry: Entry) => void | Promise<void>;
  signal: AbortSignal;
}

/**
 * Follows the timeline until `signal` aborts. Resolves once the stream is open, so every later entry is included;
 * `ended` settles when it is over.
 * @throws ApiError or OperatorError when it cannot be opened
 */
export async function follow(api: Api, following: StreamOptions): Promise<{ ended: Promise<void> }> {
  const first = await opened(api, following, following.query['after'] ?? 'now');
  return { ended: readOn(api, following, first) };
}

/** Reconnects from the last entry received, so nothing is missed while the server restarts. */
async function readOn(api: Api, following: StreamOptions, first: Response): Promise<void> {
  const { onEntry, signal } = following;
  let after = following.query['after'] ?? 'now';
  let response: Response | undefined = first;
  for (let failures = 0; !signal.aborted;) {
    try {
      response ??= await opened(api, following, after);
      failures = 0;
      for await (const message of messagesOf(response)) {
        if (message.id) after = message.id;
        if (message.event === undefined || message.event === 'message')
          await onEntry(JSON.parse(message.data) as Entry);
      }
    } catch (error) {
      if (signal.aborted) return;
      // retrying does not help when the request itself is wrong
      if (error instanceof ApiError && error.status < 500) throw error;
      if (failures === 0) say('understudy: the connection was lost, trying again');
      await pause(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] as number, undefined, { signal }).catch(
        () => null,
      );
    }
    response = undefined;
  }
}

async function opened(api: Api, { path, query, signal }: StreamOptions, after: string): Promise<Response> {
  const response = await api.send('GET', path, { query: { ...query, after }, signal });
  if (!response.ok) throw refusalOf(response.status, await response.text());
  return response;
}

async function* messagesOf(response: Response): AsyncGenerator<EventSourceMessage> {
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => messages.push(message) });
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* messages.splice(0);
  }
}
