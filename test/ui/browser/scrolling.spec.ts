import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { TestSandbox } from '../../support/sandbox.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

/** The position of a row on the screen. */
interface Seen {
  readonly ts: string;
  readonly top: number;
}

/** The rows whose top is on the screen. */
const SEEN = `[...document.querySelectorAll('[role="list"][aria-label="Messages"] > [role="listitem"]')]
  .map((row) => ({ ts: row.dataset.ts, top: row.getBoundingClientRect().top }))
  .filter(({ top }) => top > 120 && top < 700)`;

interface Turn {
  readonly jump: number;
  readonly rows: number;
  readonly first: string | undefined;
}

/**
 * Resolves when the page has received the next wheel event; its scrolling is part of the next frame, however busy it
 * is.
 */
const TURNED = `new Promise((turned) => addEventListener('wheel', turned, { once: true, passive: true }))`;

/**
 * Compares two frames after a wheel event, between which nothing scrolls, so each row that is in both must have the
 * same position, whatever was loaded and measured meanwhile.
 */
const TURN = `(async () => {
  await globalThis.turned;
  globalThis.turned = ${TURNED};
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const seen = () => new Map(${SEEN}.map(({ ts, top }) => [ts, top]));
  await drawn();
  const before = seen();
  await drawn();
  const after = seen();
  const moved = [...before].filter(([ts]) => after.has(ts)).map(([ts, top]) => Math.abs(after.get(ts) - top));
  const rows = [...document.querySelectorAll('[role="list"][aria-label="Messages"] > [role="listitem"]')];
  return { jump: Math.max(0, ...moved), rows: rows.length, first: rows[0]?.dataset.ts };
})()`;

describeInBrowser('scrolling', (journey) => {
  it('scrolls up through 5,000 messages, and nothing jumps by more than 4 px', async () => {
    const { page, app } = journey();
    const box = await TestSandbox.make(app, {
      channels: [{ name: 'long', members: ['alice'], messages: 5_000 }],
    });
    const list = await box.call('conversations.list', { limit: 100 }, box.person);
    const channel = (list.body.channels as { id: string; name: string }[]).find((one) => one.name === 'long')?.id;
    await journey().enter(box, { user: 'alice', to: `/w/${box.made.team.id as string}/c/${channel}` });
    await page.getByRole('textbox', { name: 'Message #long' }).waitFor();
    await page.getByRole('listitem').nth(5).waitFor();
    await page.mouse.move(700, 400);
    const oldest = (
      await box.call('conversations.history', { channel, oldest: '0', limit: 2 }, box.person)
    ).body.messages.at(-1).ts as string;
    await page.evaluate(`globalThis.turned = ${TURNED}; undefined`);
    let most = 0;
    let rows = 0;
    for (let turns = 0; turns < 1_500; turns++) {
      await page.mouse.wheel(0, -2_400);
      const turn = (await page.evaluate(TURN)) as Turn;
      most = Math.max(most, turn.jump);
      rows = Math.max(rows, turn.rows);
      if (turn.first === oldest) break;
    }
    await page.locator(`[data-ts="${oldest}"]`).waitFor();
    expect(most).toBeLessThanOrEqual(4);
    expect(rows).toBeLessThanOrEqual(150);
    await page.getByRole('button', { name: 'To the newest' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'To the newest' }).count(), SOON).toBe(0);
  });

  it('counts new messages below while one reads above, and remembers what was read', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const bot = await ws.bot();
    const alice = await ws.user({ name: 'alice' });
    for (let n = 0; n < 50; n++) await ws.message({ channel: ws.general, user: alice, text: `line ${n}` });
    await journey().signIn(ws);
    await page.getByRole('listitem').filter({ hasText: 'line 49' }).waitFor();
    await page.mouse.move(700, 400);
    await page.mouse.wheel(0, -700);
    await expect.poll(async () => ((await page.evaluate(SEEN)) as Seen[]).length, SOON).toBeGreaterThan(0);
    await expect.poll(() => page.getByText('line 49', { exact: true }).isVisible(), SOON).toBe(false);
    for (let n = 0; n < 3; n++) await bot.call('chat.postMessage', { channel: ws.general.id, text: `news ${n}` });
    await page.getByRole('button', { name: '3 new' }).click();
    await page.getByRole('listitem').filter({ hasText: 'news 2' }).waitFor();
    await bot.call('chat.postMessage', { channel: ws.random.id, text: 'before the first look' });
    await ws.join(ws.random, bot);
    const row = page.getByRole('link', { name: /random/ });
    await bot.call('chat.postMessage', { channel: ws.random.id, text: `<@${ws.admin.id}> look here` });
    await row.getByText('1', { exact: true }).waitFor();
    await expect.poll(() => page.title(), SOON).toMatch(/^\(1\) /);
    await row.click();
    await page.getByRole('listitem').filter({ hasText: 'look here' }).waitFor();
    await expect.poll(() => page.title(), SOON).toMatch(/^#random/);
  });
});
