import { describe, expect, it } from 'vitest';
import type { Keeps } from '../../src/kernel/database/statement.js';
import { StoreInfo } from '../../src/kernel/database/store-info.js';
import { TenantChanges } from '../../src/kernel/tenancy/tenant-changes.js';
import { TenantMemories, type TenantMemory } from '../../src/kernel/tenancy/tenant-memory.js';

/** docs/decisions/remembered-callers.md */
describe('what is remembered of a tenant', () => {
  function memories(embedded = true) {
    const changes = new TenantChanges();
    const made = new TenantMemories(changes, new StoreInfo(embedded));
    const size = (text: string): number => text.length;
    const written = (tenant: number | undefined, keeps?: Keeps): void => changes.begin([tenant], keeps)([tenant]);
    let count = 0;
    const look = (memory: TenantMemory<string>, tenant: number, key = 'page'): Promise<string> =>
      memory.of(tenant, key, () => Promise.resolve(`${(count += 1)}`));
    return { changes, written, look, users: made.ofUsers(100, size), content: made.ofContent(100, size) };
  }

  it('is found again by tenant and key', async () => {
    const { look, content } = memories();
    expect([await look(content, 1), await look(content, 1)]).toEqual(['1', '1']);
    expect([await look(content, 2), await look(content, 1, 'other')]).toEqual(['2', '3']);
  });

  it('is forgotten by a write of that tenant, or of nobody knows whom', async () => {
    const { look, written, users, content } = memories();
    for (const memory of [users, content]) {
      const [first, second] = [await look(memory, 1), await look(memory, 2)];
      written(1);
      expect(await look(memory, 1)).not.toBe(first);
      expect(await look(memory, 2)).toBe(second);
      written(undefined);
      expect(await look(memory, 2)).not.toBe(second);
    }
  });

  it('stays where a write says that it keeps it', async () => {
    const { look, written, users, content } = memories();
    const [ofUsers, ofContent] = [await look(users, 1), await look(content, 1)];
    written(1, 'everything');
    expect([await look(users, 1), await look(content, 1)]).toEqual([ofUsers, ofContent]);
    written(1, 'callers');
    expect(await look(users, 1)).toBe(ofUsers);
    expect(await look(content, 1)).not.toBe(ofContent);
  });

  it('is neither used nor kept while a write is under way', async () => {
    const { look, changes, content } = memories();
    for (const tenant of [1, undefined]) {
      const before = await look(content, 1);
      const ended = changes.begin([tenant], undefined);
      const during = await look(content, 1);
      expect(during).not.toBe(before);
      expect(await look(content, 1)).not.toBe(during);
      ended([tenant]);
      ended([tenant]);
      const after = await look(content, 1);
      expect(Number(after)).toBeGreaterThan(Number(during) + 1);
      expect(await look(content, 1)).toBe(after);
    }
  });

  it('is not what a look-up found that began before a write', async () => {
    const { look, written, content } = memories();
    let answer: (value: string) => void = () => undefined;
    const slow = content.of(1, 'page', () => new Promise<string>((resolve) => (answer = resolve)));
    written(1);
    answer('old');
    expect(await slow).toBe('old');
    expect(await look(content, 1)).not.toBe('old');
  });

  it('is forgotten for other tenants, too, where a write turns out to be of theirs', async () => {
    const { look, changes, users, content } = memories();
    const before = [await look(users, 2), await look(content, 2)];
    changes.begin([1], undefined)([undefined]);
    expect(await look(users, 2)).not.toBe(before[0]);
    expect(await look(content, 2)).not.toBe(before[1]);
  });

  it('is bounded by its size, and nothing that depends on the moment', async () => {
    const { look, content } = memories();
    const long = 'x'.repeat(60);
    const find = (text: string) => () => Promise.resolve(text);
    await content.of(1, 'a', find(`${long}a`));
    await content.of(1, 'b', find(`${long}b`));
    expect(await content.of(1, 'b', find('new'))).toBe(`${long}b`);
    expect(await content.of(1, 'a', find('new'))).toBe('new');
    await content.of(1, 'moment', find('then'), () => false);
    expect(await look(content, 1, 'moment')).not.toBe('then');
  });

  it('is nothing where several processes share the store', async () => {
    const { look, users, content } = memories(false);
    expect(await look(users, 1)).not.toBe(await look(users, 1));
    expect(await look(content, 1)).not.toBe(await look(content, 1));
  });
});
