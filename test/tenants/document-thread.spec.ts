import { describe, expect, it } from 'vitest';
import { DocumentThread } from '../../src/tenants/seeds/document-thread.js';

const document = (text: string) => ({ ask: 'fields', bytes: Buffer.from(text), isYaml: true }) as const;

/** docs/reference/limits.md#bodies */
describe('a thread that parses documents', () => {
  it('answers one after the other, also after a refusal', async () => {
    const thread = new DocumentThread();
    try {
      expect(await thread.ask(document('name: one\n'), 60_000)).toEqual({ fields: { name: 'one' } });
      await expect(thread.ask(document('a: &b 1\n'), 60_000)).rejects.toMatchObject({
        response: { message: ['line 1: anchors are not taken'] },
      });
      expect(await thread.ask(document('name: two\n'), 60_000)).toEqual({ fields: { name: 'two' } });
    } finally {
      thread.end(new Error('over'));
    }
  });

  it('ends with a document that takes too long: request_timeout', async () => {
    const thread = new DocumentThread();
    const slow = document(`a: [${'[],'.repeat(300_000)}]\n`);
    await expect(thread.ask(slow, 20)).rejects.toMatchObject({ status: 503, code: 'request_timeout' });
    expect(thread.isOver).toBe(true);
    await expect(thread.ask(document('name: late\n'), 60_000)).rejects.toMatchObject({ code: 'request_timeout' });
  });

  it('fails what it does when it is ended', async () => {
    const thread = new DocumentThread();
    const asked = thread.ask(document(`a: [${'[],'.repeat(300_000)}]\n`), 60_000);
    thread.end(new Error('the caller has gone'));
    await expect(asked).rejects.toThrow('the caller has gone');
  });
});
