import { describe, expect, it } from 'vitest';
import { checkDialog } from '../../src/messaging/wire/dialog-content.js';
import { useApp } from '../support/app.js';
import { modalApp, type Json } from '../support/modal-app.js';
import { closeReceivers } from '../support/receiver.js';

const x = (length: number) => 'x'.repeat(length);
const text = { type: 'text', label: 'From', name: 'from' };
const select = { type: 'select', label: 'To', name: 'to' };
const option = { label: 'a', value: 'a' };
const dialog = (more: Json): Json => ({ title: 'Order', callback_id: 'order', elements: [text], ...more });
const element = (more: Json): Json => dialog({ elements: [{ ...text, ...more }] });
const items = (count: number, item: object) => Array.from({ length: count }, () => item);

// docs/reference/chat.md#dialogs
describe('the limits of dialogs', () => {
  const app = useApp();
  closeReceivers();
  const faults = (made: Json): string[] => {
    const checked = checkDialog(made);
    return 'messages' in checked ? checked.messages : [];
  };

  it.each<[string, (n: number) => Json, least: number, most: number, pointer: string]>([
    ['title', (n) => dialog({ title: x(n) }), 1, 24, '/title'],
    ['callback_id', (n) => dialog({ callback_id: x(n) }), 1, 255, '/callback_id'],
    ['state', (n) => dialog({ state: x(n) }), 0, 3000, '/state'],
    ['elements', (n) => dialog({ elements: items(n, text) }), 1, 10, '/elements'],
    ['label', (n) => element({ label: x(n) }), 1, 48, '/elements/0/label'],
    ['name', (n) => element({ name: x(n) }), 1, 300, '/elements/0/name'],
    ['max_length of text', (n) => element({ max_length: n }), 1, 150, '/elements/0/max_length'],
    ['max_length of textarea', (n) => element({ type: 'textarea', max_length: n }), 1, 3000, '/elements/0/max_length'],
    ['value of text', (n) => element({ value: x(n) }), 0, 150, '/elements/0/value'],
    ['value of textarea', (n) => element({ type: 'textarea', value: x(n) }), 0, 3000, '/elements/0/value'],
    ['options', (n) => dialog({ elements: [{ ...select, options: items(n, option) }] }), 1, 100, '/elements/0/options'],
  ])('%s', (_, made, least, most, pointer) => {
    expect(faults(made(least))).toEqual([]);
    expect(faults(made(most))).toEqual([]);
    for (const n of [least - 1, most + 1]) {
      if (n >= 0) expect(faults(made(n))).toEqual([expect.stringContaining(`[json-pointer:${pointer}]`)]);
    }
  });

  it('selects have options or a source, and every fault is told', () => {
    for (const source of ['users', 'channels', 'conversations', 'external']) {
      expect(faults(dialog({ elements: [{ ...select, data_source: source }] }))).toEqual([]);
    }
    const wrong = [
      { ...select, data_source: 'moon' },
      { ...select },
      { ...select, options: [{ label: 'a' }] },
      { ...text, optional: 'yes' },
      7,
    ];
    expect(faults(dialog({ elements: wrong }))).toEqual(
      ['0/data_source', '1/options', '2/options/0/value', '3/optional', '4'].map((at) =>
        expect.stringContaining(`[json-pointer:/elements/${at}]`),
      ),
    );
    for (const missing of ['title', 'callback_id', 'elements'])
      expect(faults(dialog({ [missing]: undefined }))).toHaveLength(1);
  });

  it("an app's user token opens one as its bot token does, with JSON as text", async () => {
    const ws = await app.workspace();
    const made = await modalApp(app, ws);
    const trigger_id = await made.trigger();
    const open = { trigger_id, dialog: JSON.stringify(dialog({})) };
    expect(await made.bot.call('dialog.open', open)).toEqual({ ok: true });
    const person = await ws.userClient();
    // a trigger of another app
    expect(await person.call('dialog.open', { ...open, trigger_id: await made.trigger() })).toEqual({
      ok: false,
      error: 'invalid_trigger',
    });
  });
});
