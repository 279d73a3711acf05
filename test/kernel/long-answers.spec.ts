import { describe, expect, it } from 'vitest';
import { pieces } from '../../src/kernel/http/long-answers.js';
import { useApp } from '../support/app.js';

describe('a long answer', () => {
  const app = useApp();

  it('arrives whole, with its length', async () => {
    const workspace = await app.workspace();
    const client = await workspace.bot();
    const channel = workspace.general.id;
    const text = '🎈'.repeat(20_000);
    for (let n = 0; n < 15; n++)
      await workspace.message({ channel: workspace.general, user: { id: client.userId }, text });
    const answer = await fetch(`${app.baseUrl}/api/conversations.history?channel=${channel}`, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.headers.get('content-length')).toBe(String(bytes.length));
    const { messages } = JSON.parse(bytes.toString()) as { messages: { text: string }[] };
    expect(messages.filter((message) => message.text.endsWith(text))).toHaveLength(15);
  });

  it('is encoded in pieces, in turns of the event loop, that keep pairs of surrogates together', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const text = `x${'🎈'.repeat(500_000)}`;
    const made: Buffer[] = [];
    for await (const piece of pieces(text)) made.push(piece);
    isOver = true;
    expect(made.length).toBeGreaterThan(3);
    expect(turns).toBeGreaterThanOrEqual(made.length);
    expect(Buffer.concat(made).equals(Buffer.from(text))).toBe(true);
  });
});
