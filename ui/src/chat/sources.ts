import { call } from '../api/client.js';
import type { Message } from '../api/wire.js';
import type { Page, Source } from './message-window.js';

interface HistoryAnswer {
  messages: Message[];
  has_more: boolean;
}

/** The messages of a conversation, without replies. */
export function historyOf(channel: string): Source {
  const ask = async (args: object): Promise<Page> => {
    const answer = await call<HistoryAnswer>('conversations.history', { channel, ...args, include_all_metadata: true });
    return { messages: answer.messages, hasMore: answer.has_more };
  };
  return {
    newest: (limit) => ask({ limit }),
    before: (latest, limit, inclusive) => ask({ latest, limit, ...(inclusive ? { inclusive } : {}) }),
    after: (oldest, limit) => ask({ oldest, limit }),
    between: (oldest, latest, limit) =>
      // with `oldest` alone the server would return the oldest page after it
      ask({ oldest, latest: latest ?? '9999999999.000000', inclusive: true, limit }),
  };
}

/** A thread: its parent, then the replies. */
export function repliesOf(channel: string, ts: string): Source {
  const pages = async (args: object): Promise<Page> => {
    let messages: Message[] = [];
    for (let cursor = '', more = true; more && messages.length < 2_000;) {
      const answer = await call<HistoryAnswer & { response_metadata?: { next_cursor?: string } }>(
        'conversations.replies',
        {
          channel,
          ts,
          limit: 1_000,
          ...args,
          ...(cursor === '' ? {} : { cursor }),
          include_all_metadata: true,
        },
      );
      messages = [...messages, ...answer.messages];
      cursor = answer.response_metadata?.next_cursor ?? '';
      more = answer.has_more && cursor !== '';
    }
    return { messages, hasMore: false };
  };
  return {
    newest: () => pages({}),
    before: () => pages({}),
    after: (oldest) => pages({ oldest }),
    between: () => pages({}),
  };
}
