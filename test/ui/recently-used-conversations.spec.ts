import { describe, expect, it } from 'vitest';
import { recentlyUsed } from '../../ui/src/chat/recently-used.js';

describe('conversations that were opened', () => {
  it('are recentlyUsed, ten of them: the one that was not looked at for longest goes', () => {
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
