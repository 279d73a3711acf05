import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { BusySandbox } from '../../support/busy-sandbox.js';
import { describeInBrowser } from '../../support/browser.js';
import { closeReceivers } from '../../support/receiver.js';

/** Elements that scroll sideways, except for data tables and code, which may (WCAG 1.4.10), and never the page. */
const SIDEWAYS = `(() => {
  const found = [];
  const name = (one) => one.tagName.toLowerCase() + ' ' + (one.getAttribute('aria-label') ?? one.className);
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) found.push('the page by ' + wide);
  for (const one of document.querySelectorAll('body *')) {
    if (!/auto|scroll/.test(getComputedStyle(one).overflowX) || !one.checkVisibility()) continue;
    if (one.scrollWidth <= one.clientWidth + 1 || one.clientWidth === 0) continue;
    if (one.matches('pre, table, [role=grid], [role=table], [role=tablist], .cm-scroller') || one.querySelector(':scope > table')) continue;
    const edge = one.getBoundingClientRect().right;
    const [cause] = [...one.querySelectorAll('*')].filter((part) => part.getBoundingClientRect().right > edge + 1);
    found.push(name(one) + ' by ' + (one.scrollWidth - one.clientWidth) + ', as of ' + (cause ? name(cause) : '?'));
  }
  return found;
})()`;

/** Whether the focused element has an outline: backgrounds and shadows are not rendered in forced colours. */
const FRAMED = `(async () => {
  await Promise.all(document.getAnimations().map((one) => one.finished.catch(() => undefined)));
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const name = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
  const isFramed = element === document.body || (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2);
  return { name: name + ' (' + outlineStyle + ' ' + outlineWidth + ')', isFramed };
})()`;

/** Controls that cannot be scrolled into view completely, or are covered there. */
const OUT_OF_REACH = `(() => {
  const found = [];
  const wanted = 'a[href], button:not([disabled]), input, textarea, select, [role=tab], [tabindex="0"]';
  // a pane lies over the rest of a narrow page until it is closed
  const pane = [...document.querySelectorAll('aside[aria-label=Entry]')].find((one) => getComputedStyle(one).position !== 'static');
  for (const one of (pane ?? document).querySelectorAll(wanted)) {
    if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || one.closest('[inert], [aria-hidden=true]')) continue;
    one.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    const box = one.getBoundingClientRect();
    // drawn over by its own label, for screen readers only, or a place to jump to
    if (box.width < 3 || box.height < 3 || one.matches('.visually-hidden *, label input, [href="#main"]')) continue;
    const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)];
    const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)];
    const over = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const label = (one.getAttribute('aria-label') ?? one.textContent ?? one.tagName).trim().slice(0, 40);
    if (right - left < Math.min(box.width, innerWidth) - 2) found.push(label + ': ' + Math.round(box.left) + '–' + Math.round(box.right));
    else if (!over || !(one.contains(over) || over.contains(one))) found.push(label + ': under ' + (over?.className ?? 'nothing'));
  }
  return found;
})()`;

const evaluate = (page: Page, script: string) => page.evaluate<string[]>(script);

/** Screens of a busy sandbox, and what each must show. */
const screens = (busy: BusySandbox, warRoom: string, page: Page): [string, () => Promise<unknown>][] => {
  const entry = page.getByRole('complementary', { name: 'Entry' });
  const failed = page.getByRole('grid', { name: 'Traffic' }).getByRole('row').filter({ hasText: '500' });
  return [
    ['search?q=deploy', () => page.getByText(/\d+ messages?$/).waitFor()],
    [`c/${warRoom}`, () => page.getByRole('listitem').filter({ hasText: 'Deploy 1 of' }).waitFor()],
    ['inspect?kind=delivery', () => failed.first().waitFor()],
    [
      '',
      () =>
        failed
          .first()
          .click()
          .then(() => entry.getByRole('tab', { name: 'Attempts' }).click()),
    ],
    ['deliveries', () => page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first().waitFor()],
    ['faults', () => page.getByRole('list', { name: 'Faults' }).getByRole('listitem').first().waitFor()],
    ['limits', () => page.getByRole('region', { name: 'Limits' }).waitFor()],
    ['clock', () => page.getByRole('main').waitFor()],
    ['apps', () => page.getByRole('link', { name: 'pager' }).first().waitFor()],
    ...['overview', 'tokens', 'events', 'webhooks', 'manifest'].map((tab): [string, () => Promise<unknown>] => [
      `apps/${busy.made.credentials.apps.pager.app_id as string}/${tab}`,
      () => page.getByRole('tabpanel').waitFor(),
    ]),
    ['settings', () => page.getByRole('main').waitFor()],
  ];
};

describeInBrowser('small screens, forced colours and reduced motion', (journey) => {
  closeReceivers();

  it('fit into 320 px and at 200 %, without scrolling sideways', async () => {
    const busy = await BusySandbox.make(journey().app);
    const warRoom = await busy.channel('war-room');
    const found: string[] = [];
    for (const shape of [
      { viewport: { width: 320, height: 640 } },
      { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 },
    ]) {
      const page = await journey().newPage(await journey().newContext({ ...shape, reducedMotion: 'reduce' }));
      await journey().follow(await busy.link(`/w/${busy.made.team_id as string}/settings`), page);
      for (const [path, ready] of screens(busy, warRoom, page)) {
        if (path !== '') await journey().go(`/w/${busy.made.team_id as string}/${path}`, page);
        await ready();
        await journey().quiet(page);
        const of = `${path} ${shape.viewport.width}`;
        found.push(...(await evaluate(page, SIDEWAYS)).map((line) => `${of} sideways: ${line}`));
        found.push(...(await evaluate(page, OUT_OF_REACH)).map((line) => `${of} out of reach: ${line}`));
      }
    }
    expect(found).toEqual([]);
  });

  it('show focus and selection in forced colours, and pass axe', async () => {
    const { page, app } = journey();
    const busy = await BusySandbox.make(app);
    const at = (path: string) => `/w/${busy.made.team_id as string}/${path}`;
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    await journey().follow(await busy.link(at('inspect')));
    const found: string[] = [];
    const look = async (name: string): Promise<void> => {
      await journey().quiet();
      found.push(...(await journey().axe()).map((line) => `${name}: ${line}`));
      for (let steps = 0; steps < 30; steps++) {
        await page.keyboard.press('Tab');
        const now = await page.evaluate<{ name: string; isFramed: boolean }>(FRAMED);
        if (!now.isFramed) found.push(`${name}: ${now.name} has no frame`);
      }
    };
    await page.getByRole('grid', { name: 'Traffic' }).getByRole('row').nth(2).waitFor();
    await look('inspect');
    await journey().go(at('faults'));
    await page.getByRole('list', { name: 'Faults' }).getByRole('listitem').first().waitFor();
    await look('faults');
    await journey().go(at(`c/${await busy.channel('war-room')}`));
    await page.getByRole('listitem').filter({ hasText: 'Deploy 1 of' }).waitFor();
    await look('chat');
    // rows of menus and of lists of options are not focused themselves
    await page.getByRole('button', { name: /^Sandbox: / }).press('Enter');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate<{ isFramed: boolean }>(FRAMED)).toMatchObject({ isFramed: true });
    expect(found).toEqual([]);
  });

  it('have no animations if reduced motion is requested', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.addInitScript(`
      globalThis.moved = [];
      for (const kind of ['animationstart', 'transitionrun'])
        addEventListener(kind, () => {
          for (const one of document.getAnimations()) {
            const { duration, iterations } = one.effect.getComputedTiming();
            if (duration * iterations > 20) moved.push(one.animationName ?? one.transitionProperty);
          }
        }, true);`);
    await journey().signIn(ws);
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('Escape');
    await journey().go(`/w/${ws.id}/settings`);
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    // a skeleton, which pulses while it is shown
    const pulse = `(() => {
      const one = document.createElement('p');
      one.style.animation = 'x 1s infinite alternate';
      document.body.append(one);
      return getComputedStyle(one).animationIterationCount;
    })()`;
    expect(await page.evaluate(pulse)).toBe('1');
    expect(await page.evaluate('moved')).toEqual([]);
  });
});
