import { describe, expect, it } from 'vitest';
import type { Message } from '../../ui/src/api/wire.js';
import { MessageWindow, type Page, type Source } from '../../ui/src/chat/message-window.js';

const message = (ts: string): Message => ({ type: 'message', ts, text: `at ${ts}`, user: 'U1' }) as Message;
const page = (...ts: string[]): Page => ({ messages: ts.map(message), hasMore: false });

/** A history whose answers the test sends when it wants. */
function slowHistory(): { source: Source; answer: (page: Page) => Promise<void>; asked: () => number } {
  const waiting: ((page: Page) => void)[] = [];
  let asked = 0;
  const ask = (): Promise<Page> => {
    asked++;
    return new Promise((answer) => waiting.push(answer));
  };
  return {
    source: { newest: ask, before: ask, after: ask, between: ask },
    answer: async (answered) => {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.(answered);
      // lets the code that waits for the answer run
      await new Promise((done) => setImmediate(done));
    },
    asked: () => asked,
  };
}

const shown = (window: MessageWindow): string[] => window.get().messages.map(({ ts }) => ts);

describe('a conversation that is loaded while messages change', () => {
  it('shows a message that was posted before an older page arrived without it', async () => {
    const history = slowHistory();
    const window = new MessageWindow(history.source, new Set());
    const loaded = window.loadNewest();
    window.posted(message('2'));
    await history.answer(page('1'));
    await loaded;
    expect(shown(window)).toEqual(['1', '2']);
  });

  it('is loaded again when the page may be older than the connection', async () => {
    const history = slowHistory();
    const window = new MessageWindow(history.source, new Set());
    const loaded = window.loadNewest();
    await window.resync();
    await history.answer(page('1'));
    await loaded;
    await history.answer(page('1', '2'));
    expect(shown(window)).toEqual(['1', '2']);
    expect(history.asked()).toBe(2);
  });

  it('does not restore a message that was deleted meanwhile', async () => {
    const history = slowHistory();
    const window = new MessageWindow(history.source, new Set());
    const loaded = window.loadNewest();
    window.posted(message('2'));
    window.deleted('1');
    window.deleted('2');
    await history.answer(page('1', '2'));
    await loaded;
    await history.answer(page());
    expect(shown(window)).toEqual([]);
  });
});
