import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { BLOCKS } from '../../../src/messaging/wire/block-kit/blocks.js';
import { ELEMENTS } from '../../../src/messaging/wire/block-kit/elements.js';
import { describeInBrowser } from '../../support/browser.js';
import { label, modal, modalApp, type Json, type ModalApp } from '../../support/modal-app.js';
import { closeReceivers } from '../../support/receiver.js';
import { SAMPLE_BLOCKS, SAMPLE_CHARTS, SAMPLE_ELEMENTS } from '../../support/shapes/blocks.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };
/** Types of elements that stand in blocks of SAMPLE_BLOCKS, or are no elements of their own. */
const ELSEWHERE = [
  'image',
  'button',
  'feedback_buttons',
  'icon_button',
  'plain_text_input',
  'url',
  'plain_text',
  'mrkdwn',
];

const sample = (type: string): Json => SAMPLE_BLOCKS[type] ?? {};
const IN_MESSAGE = Object.keys(SAMPLE_BLOCKS).filter((type) => type !== 'alert');

/** Whether anything but what scrolls by itself is wider than its frame. */
const overflows = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('[role="list"][aria-label="Messages"] *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .filter((one) => {
      for (let at = one.parentElement; at !== null && at.role !== 'listitem'; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible') return false;
      return true;
    })
    .map((one) => one.outerHTML.slice(0, 120))`);

describeInBrowser('blocks', (journey) => {
  closeReceivers();

  const setUp = async (): Promise<ModalApp & { channel: string }> => {
    const { app } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const made = await modalApp(app, ws);
    await ws.join(ws.general, made.bot, made.person);
    await journey().signIn(ws, { as: made.person.userId });
    await journey().page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    return { ...made, channel: ws.general.id };
  };
  const post = async ({ bot, channel }: ModalApp & { channel: string }, blocks: readonly Json[]): Promise<Locator> => {
    const { page } = journey();
    const rows = page.getByRole('article');
    const before = await rows.count();
    const posted = await bot.call('chat.postMessage', { channel, text: 'Blocks', blocks });
    expect(posted).toMatchObject({ ok: true });
    await expect.poll(() => rows.count(), SOON).toBeGreaterThan(before);
    return page.locator(`[data-ts="${posted['ts'] as string}"]`);
  };
  const looksRight = async (name: string): Promise<void> => {
    const { page } = journey();
    expect(await journey().axe()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await journey().axe({ again: true })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await journey().screenshot(name);
    await page.setViewportSize({ width: 320, height: 800 });
    await expect.poll(() => overflows(page), SOON).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  it('of every type in the rules are drawn, in both themes and at any width', async () => {
    expect(Object.keys(SAMPLE_BLOCKS).toSorted()).toEqual(Object.keys(BLOCKS).toSorted());
    const made = await setUp();
    const { page } = journey();
    await page.setViewportSize({ width: 1280, height: 2_600 });
    const message = await post(made, IN_MESSAGE.map(sample));
    const seen: readonly (readonly [string, Locator])[] = [
      ['section', message.getByText('A field')],
      ['header', message.getByText('A header')],
      ['divider', message.locator('hr').first()],
      ['image', message.getByText('A picture of hills')],
      ['context', message.getByText('a context')],
      ['actions', message.getByRole('button', { name: 'A button' })],
      ['context_actions', message.getByRole('button', { name: 'A good answer' })],
      ['input', message.getByRole('textbox', { name: 'An input' })],
      ['markdown', message.getByText('Marked down')],
      ['rich_text', message.getByRole('link', { name: 'a link' })],
      ['table', message.getByRole('cell', { name: 'alpha' })],
      ['data_table', message.getByRole('table', { name: 'Cities by people' })],
      ['data_visualization', message.getByRole('img', { name: 'Bar chart: Orders by month' })],
      ['card', message.getByRole('group', { name: 'A card', exact: true })],
      ['carousel', message.getByRole('group', { name: '4 cards' })],
      ['container', message.getByRole('button', { name: 'A container' })],
      ['task_card', message.getByText('In progress')],
      ['plan', message.getByText('1 of 3 done')],
      ['video', message.getByRole('link', { name: 'A film' })],
      ['file', message.getByText('Remote file F-77')],
    ];
    expect(seen.map(([type]) => type).toSorted()).toEqual(IN_MESSAGE.toSorted());
    for (const [type, locator] of seen)
      await expect.poll(() => locator.count(), { ...SOON, message: type }).toBeGreaterThan(0);
    expect(await page.getByText('is not drawn here').count()).toBe(0);
    await looksRight('blocks');
    const [pie, line, area] = SAMPLE_CHARTS;
    const charts = [await post(made, [pie as Json, line as Json]), await post(made, [area as Json])];
    await charts[1]?.getByRole('img', { name: 'Area chart: Memory' }).waitFor();
    await charts[0]?.getByRole('img', { name: 'Line chart: Latency' }).waitFor();
    await charts[0]?.getByRole('img', { name: 'Pie chart: Share of browsers' }).waitFor();
    await looksRight('charts');
  });

  it('have every type of element of the rules, two of them disabled with a note', async () => {
    expect([...Object.keys(SAMPLE_ELEMENTS), ...ELSEWHERE].toSorted()).toEqual(Object.keys(ELEMENTS).toSorted());
    const made = await setUp();
    await journey().page.setViewportSize({ width: 1280, height: 2_000 });
    const message = await post(made, Object.values(SAMPLE_ELEMENTS));
    await message.getByText('The file input').waitFor();
    expect(await message.getByText('not supported here').count()).toBe(2);
    expect(await message.getByRole('button', { name: 'Run it' }).isDisabled()).toBe(true);
    await looksRight('elements');
  });

  it('alert in a modal with their level as an icon and a word', async () => {
    const made = await setUp();
    const { page } = journey();
    const levels = ['default', 'info', 'warning', 'error', 'success'];
    await made.open(modal({ blocks: levels.map((level) => ({ ...sample('alert'), level })) }));
    const dialog = page.getByRole('dialog', { name: 'Ask' });
    for (const word of ['Notice', 'Information', 'Warning', 'Error', 'Success']) {
      await dialog.getByText(`${word}:`).waitFor();
    }
    expect(await dialog.getByText('This is sent to everybody').count()).toBe(5);
    expect(await journey().axe()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await journey().axe({ again: true })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await journey().screenshot('alerts');
  });

  it('fold, scroll, sort and page by keyboard', async () => {
    const made = await setUp();
    const { page } = journey();
    await page.setViewportSize({ width: 1280, height: 1_600 });
    const types = ['container', 'carousel', 'data_table', 'data_visualization', 'task_card'];
    const message = await post(made, types.map(sample));
    const container = message.getByRole('button', { name: 'A container' });
    expect(await container.getAttribute('aria-expanded')).toBe('false');
    expect(await message.getByText('Inside the container').count()).toBe(0);
    await container.press('Enter');
    await message.getByText('Inside the container').waitFor();
    expect(await container.getAttribute('aria-expanded')).toBe('true');

    const cards = message.getByRole('list', { name: 'Cards' });
    await cards.focus();
    const left = (): Promise<number> => cards.evaluate((one) => (one as unknown as { scrollLeft: number }).scrollLeft);
    await page.keyboard.press('ArrowRight');
    await message.getByText('2 of 4', { exact: true }).waitFor();
    await expect.poll(left, SOON).toBeGreaterThan(100);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(left, SOON).toBe(0);
    await page.keyboard.press('End');
    await message.getByText('4 of 4').waitFor();
    expect(await message.getByRole('button', { name: 'Next card' }).isDisabled()).toBe(true);

    const table = message.getByRole('table', { name: 'Cities by people' });
    const names = (): Promise<string[]> => table.getByRole('rowheader').allInnerTexts();
    await expect.poll(names, SOON).toEqual(['Oslo', 'Riga', 'Bern']);
    await message.getByText('1–3 of 5').waitFor();
    await message.getByRole('button', { name: 'Next page' }).press('Enter');
    await expect.poll(names, SOON).toEqual(['Rome', expect.stringContaining('Donau')]);
    await table.getByRole('button', { name: 'People' }).press('Enter');
    await expect.poll(names, SOON).toEqual([expect.stringContaining('Donau'), 'Bern', 'Riga']);
    await table.getByRole('button', { name: 'People' }).press('Enter');
    await expect.poll(names, SOON).toEqual(['Rome', 'Oslo', 'Riga']);
    expect(await table.getByRole('columnheader', { name: 'People' }).getAttribute('aria-sort')).toBe('descending');

    await message.getByText('Show data').focus();
    await page.keyboard.press('Enter');
    await message.getByRole('table', { name: 'Orders by month' }).getByRole('cell', { name: '42' }).waitFor();
    await message.getByText('Details').focus();
    await page.keyboard.press('Enter');
    await message.getByText('Page 12 of 40').waitFor();
    expect(await message.getByRole('link', { name: 'The manual' }).getAttribute('href')).toBe(
      'https://example.com/manual',
    );
  });

  it('send feedback and icons, and the feedback that was given stays pressed', async () => {
    const made = await setUp();
    const hidden = { type: 'icon_button', action_id: 'hidden', icon: 'trash', text: label('Not for you') };
    const elements = (sample('context_actions')['elements'] as Json[]).concat({
      ...hidden,
      visible_to_user_ids: ['U0NOBODY01'],
    });
    const message = await post(made, [{ type: 'context_actions', block_id: 'below', elements }]);
    const good = message.getByRole('button', { name: 'A good answer' });
    const bad = message.getByRole('button', { name: 'A bad answer' });
    const acted = (): Json | undefined => (made.payload()?.['actions'] as Json[] | undefined)?.[0];
    await good.press('Enter');
    await expect.poll(acted, SOON).toMatchObject({
      type: 'feedback_buttons',
      action_id: 'sample_feedback',
      block_id: 'below',
      value: 'good',
    });
    expect(await good.getAttribute('aria-pressed')).toBe('true');
    await bad.press('Enter');
    await expect.poll(acted, SOON).toMatchObject({ value: 'bad' });
    expect(await good.getAttribute('aria-pressed')).toBe('false');
    expect(await bad.getAttribute('aria-pressed')).toBe('true');
    await message.getByRole('button', { name: 'Throw away' }).press('Enter');
    await expect.poll(acted, SOON).toMatchObject({ type: 'icon_button', action_id: 'sample_icon' });
    expect(made.payload()['state']).toEqual({ values: {} });
    expect(await message.getByRole('button', { name: 'Not for you' }).count()).toBe(0);
    await journey().page.reload();
    await bad.waitFor();
    expect(await bad.getAttribute('aria-pressed')).toBe('true');
    expect(await good.getAttribute('aria-pressed')).toBe('false');
  });
});
