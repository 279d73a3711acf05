import { createParser } from 'eventsource-parser';
import { openStream } from './client.js';

export interface StreamEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: string;
}

/**
 * Follows a stream of server-sent events until stopped. A broken stream is reopened from the last event's id, so
 * nothing is lost.
 */
export function follow(
  pathAfter: (cursor: string | undefined) => string,
  onEvents: (event: StreamEvent) => void,
  onState: (live: boolean) => void,
): () => void {
  const stop = new AbortController();
  let cursor: string | undefined;
  const parser = createParser({
    onEvent: (event) => {
      if (event.id !== undefined) cursor = event.id;
      onEvents({ id: event.id, event: event.event, data: event.data });
    },
  });
  const run = async (): Promise<void> => {
    for (let wait = 500; !stop.signal.aborted; wait = Math.min(wait * 2, 8_000)) {
      try {
        const response = await openStream(pathAfter(cursor), stop.signal);
        if (!response.ok || !response.body) throw new Error(String(response.status));
        onState(true);
        wait = 500;
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        for (let part = await reader.read(); !part.done; part = await reader.read()) parser.feed(part.value);
      } catch {
        // the loop reopens the stream
      }
      parser.reset();
      if (stop.signal.aborted) return;
      onState(false);
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  };
  void run();
  return () => stop.abort();
}
