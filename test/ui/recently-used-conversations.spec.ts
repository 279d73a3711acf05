import { describe, expect, it } from 'vitest';
import { recentlyUsed } from '../../ui/src/chat/recently-used.js';

describe('recently opened conversations', () => {
  it('are cached up to ten; the least recently viewed one is removed', () => {
    const map = new Map<string, object>();
    const open = (channel: string): object => recentlyUsed(map, channel, () => ({ channel }));
    const [first, second] = [open('C0'), open('C1')];
    for (let n = 2; n < 10; n++) open(`C${n}`);
    expect(open('C0')).toBe(first);
    expect([...map.keys()]).toHaveLength(10);
    open('C10');
    expect([...map.keys()]).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 0, 10].map((n) => `C${n}`));
    expect(open('C0')).toBe(first);
    expect(open('C1')).not.toBe(second);
  });
});
