import { describe, expect, it } from 'vitest';
import { plainReading } from '../../../src/messaging/wire/plain-reading.js';
import { useApp } from '../../support/app.js';

const section = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const text = (said: string) => ({ type: 'text', text: said });
const rich = (...elements: object[]) => ({ type: 'rich_text', elements });

// docs/reference/blocks.md#rich-text
describe('the plain reading of rich_text', () => {
  const app = useApp();

  it.each([
    [[section(text('a < b & '), { ...text('c'), style: { bold: true } })], 'a &lt; b &amp; c'],
    [
      [
        section({ type: 'user', user_id: 'U1' }, text(' '), { type: 'channel', channel_id: 'C1' }, text(' '), {
          type: 'usergroup',
          usergroup_id: 'S1',
        }),
      ],
      '<@U1> <#C1> <!subteam^S1>',
    ],
    [[section({ type: 'broadcast', range: 'here' }, { type: 'emoji', name: 'wave' })], '<!here>:wave:'],
    [
      [section({ type: 'link', url: 'https://a.b' }, { type: 'link', url: 'https://c.d', text: 'see' })],
      '<https://a.b><https://c.d|see>',
    ],
    [
      [
        { type: 'rich_text_list', style: 'ordered', offset: 1, elements: [section(text('x')), section(text('y'))] },
        { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [section(text('z'))] },
        { type: 'rich_text_preformatted', elements: [text('code')] },
      ],
      '2. x\n3. y\n    • z\ncode',
    ],
  ])('of %j is %j', (elements, said) => {
    expect(plainReading([rich(...elements), { type: 'divider' }])).toBe(said);
  });

  it('is the text of a message without one', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const blocks = [rich(section(text('Hello '), { type: 'user', user_id: bot.userId }))];
    const { message } = await bot.call('chat.postMessage', { channel: ws.general.id, blocks });
    expect(message.text).toBe(`Hello <@${bot.userId}>`);
    const own = await bot.call('chat.postMessage', { channel: ws.general.id, blocks, text: 'mine' });
    expect(own.message.text).toBe('mine');
    const none = await bot.call('chat.postMessage', { channel: ws.general.id, blocks: [{ type: 'divider' }] });
    expect(none.message.text).toBe('');
  });
});
