import { describe, expect, it } from 'vitest';
import { newestFirst, startOf, type Entry } from '../../ui/src/inspect/entries.js';

const at = (ms: number): string => new Date(1_767_225_600_000 + ms).toISOString();

/** docs/reference/web-ui.md */
describe('entries in the list of traffic', () => {
  const call: Entry = { id: '3', at: at(90), wall: at(90), started: at(10), ms: 80, kind: 'call' };
  const event: Entry = { id: '2', at: at(50), wall: at(50), kind: 'event' };
  const delivery: Entry = { id: '4', at: at(120), wall: at(120), ms: 60, kind: 'delivery' };
  const before: Entry = { id: '1', at: at(5), wall: at(5), kind: 'note' };

  it('stand by when they began, the newest first: an event above the call that caused it', () => {
    expect(newestFirst([delivery, call, event, before])).toEqual([delivery, event, call, before]);
    expect(startOf(call)).toBe(Date.parse(at(10)));
    expect(startOf(delivery)).toBe(Date.parse(at(60)));
  });

  it('stand above what caused them where both began in the same millisecond', () => {
    const [short, prompt] = [
      { ...call, started: at(50) },
      { ...delivery, wall: at(110) },
    ];
    expect(newestFirst([prompt, short, event])).toEqual([prompt, event, short]);
  });

  it('keep the order of the timeline where they began together', () => {
    const twin = { ...event, id: '5' };
    expect(newestFirst([twin, event]).map(({ id }) => id)).toEqual(['5', '2']);
  });
});
