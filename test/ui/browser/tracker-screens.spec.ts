import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { closeReceivers } from '../../support/receiver.js';
import { CHOICE, enterTracker, manyIssues } from '../../support/tracker-journeys.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

// docs/reference/web-ui.md#tracker
describeInBrowser('the screens of the tracker', (journey) => {
  closeReceivers();

  it('shows projects, takes updates, and shows cycles and webhooks with what was sent', async () => {
    const { page, go, act, end } = await enterTracker(journey(), [{ title: 'Fix login', project: 'Website' }]);
    await go('/projects');
    await page
      .getByRole('row', { name: /Website/ })
      .getByText('On track')
      .waitFor();
    await page.getByRole('link', { name: 'Website' }).click();
    await page.getByRole('textbox', { name: 'New update' }).fill('Fonts are late.');
    await page.getByRole('combobox', { name: 'Health' }).selectOption({ label: 'At risk' });
    await page.getByRole('button', { name: 'Post update' }).click();
    const update = page
      .getByRole('region', { name: 'Updates' })
      .getByRole('article', { name: /^Update of/ })
      .filter({ hasText: 'Fonts are late.' });
    await update.getByRole('button', { name: 'Comment', exact: true }).click();
    await update.getByRole('textbox', { name: /^Comment on the update/ }).fill('How late?');
    await update.getByRole('button', { name: 'Send' }).click();
    await update.getByRole('article', { name: /How late/ }).waitFor();
    await update.getByRole('button', { name: '1 comment' }).waitFor();
    await page.getByRole('combobox', { name: 'Status' }).selectOption({ label: 'In Progress' });
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Status' }).locator('option:checked').textContent(), SOON)
      .toBe('In Progress');
    await go('/cycles/ENG');
    await page.getByRole('list', { name: 'Cycles' }).getByText('Cycle 1').waitFor();
    await go('/t-hooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByRole('textbox', { name: 'Label' }).fill('of the spec');
    await page.getByRole('button', { name: 'Use an inbox of this server' }).click();
    await expect.poll(() => page.getByRole('textbox', { name: 'URL' }).inputValue(), SOON).toMatch(/^http/);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('Signing secret').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await act('issue_update', { issue: 'ENG-1', priority: 1 });
    const hook = page
      .getByRole('list', { name: 'Webhooks' })
      .getByRole('listitem')
      .filter({ hasText: 'of the spec' })
      .first();
    await hook.getByRole('button', { name: 'Show 1 delivery' }).click();
    await hook.getByRole('button', { name: 'Resend issue.updated' }).click();
    await page.getByText('Sent again.').waitFor();
    await hook.getByText('Enabled').click();
    await hook.getByText('Disabled').waitFor();
    expect(end.received).toEqual([]);
  });

  it('keeps an inbox, whose notifications are read, snoozed, opened and archived', async () => {
    const issues = [{ title: 'Fix login' }, { title: 'Fix logout' }];
    const { page, go, act } = await enterTracker(journey(), issues, { user: 'alice' });
    await go('/inbox');
    await page.getByText('Nothing here.').waitFor();
    await act('issue_update', { issue: 'ENG-1', assignee: 'alice' }, 'bob');
    await act('comment', { issue: 'ENG-2', body: 'Look here, @alice' }, 'bob');
    const list = page.getByRole('list', { name: 'Notifications' });
    await list.getByRole('link', { name: 'Unread: ENG-1 Fix login' }).waitFor();
    await list.getByRole('link', { name: 'Unread: ENG-2 Fix logout' }).waitFor();
    const nav = page.getByRole('navigation', { name: 'Tracker' });
    await nav.getByRole('link', { name: 'Inbox 2' }).waitFor();
    expect(await journey().axe()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await journey().axe({ again: true })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await journey().screenshot('tracker-inbox');
    await list.getByRole('button', { name: 'Mark Fix login as read' }).click();
    await nav.getByRole('link', { name: 'Inbox 1' }).waitFor();
    await expect
      .poll(() => list.getByRole('link').allTextContents(), SOON)
      .toEqual(['Unread: ENG-2 Fix logout', 'ENG-1 Fix login']);
    await list.getByRole('button', { name: 'Snooze Fix login' }).click();
    await page.getByRole('menuitem', { name: 'For an hour' }).click();
    await list.getByRole('link', { name: /Fix login/ }).waitFor({ state: 'detached' });
    // by keyboard: to the first one, and into it
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Fix logout' }).waitFor();
    await go('/inbox');
    await list.getByRole('link', { name: 'ENG-2 Fix logout', exact: true }).waitFor();
    await list.getByRole('button', { name: 'Archive Fix logout' }).click();
    await page.getByText('Nothing here.').waitFor();
  });

  it(
    'has no violation of accessibility on any screen, in light and dark, and fits 400 pixels',
    { timeout: 240_000 },
    async () => {
      const { page, go, act, session, say, agent } = await enterTracker(journey(), manyIssues(200));
      const [project] = (await agent.projects()).nodes;
      await act('issue_update', { issue: 'ENG-1', delegate: 'helper' });
      await act('comment', { issue: 'ENG-1', body: 'Hm' });
      await say(await session(), { type: 'elicitation', body: 'Which branch?' }, CHOICE);
      const screens = [
        ['tracker-list', '/t/ENG', () => page.getByRole('row', { name: 'ENG-3 Issue 2' }).waitFor()],
        ['tracker-board', '/t/ENG?view=board', () => page.getByRole('region', { name: 'Board' }).waitFor()],
        ['tracker-agent', '/t/ENG/ENG-1', () => page.getByRole('button', { name: 'Main' }).waitFor()],
        ['tracker-empty', '/t/OPS', () => page.getByText('No issues yet.').waitFor()],
        ['tracker-projects', '/projects', () => page.getByRole('row', { name: /Website/ }).waitFor()],
        [
          'tracker-project',
          `/projects/${project!.slugId}`,
          async () => {
            await page.getByRole('button', { name: 'Comment', exact: true }).click();
            await page.getByRole('textbox', { name: /^Comment on the update/ }).waitFor();
          },
        ],
        ['tracker-cycles', '/cycles/ENG', () => page.getByRole('list', { name: 'Cycles' }).waitFor()],
        ['tracker-webhooks', '/t-hooks', () => page.getByRole('list', { name: 'Webhooks' }).waitFor()],
      ] as const;
      for (const [name, path, isShown] of screens) {
        await go(path);
        await isShown();
        await journey().quiet();
        expect([name, await journey().axe()]).toEqual([name, []]);
        await page.emulateMedia({ colorScheme: 'dark' });
        expect([name, await journey().axe({ again: true })]).toEqual([name, []]);
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 400, height: 800 });
        const isWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
        expect([name, isWide]).toEqual([name, false]);
        expect([name, await journey().axe()]).toEqual([name, []]);
        await page.setViewportSize({ width: 1280, height: 800 });
        await journey().screenshot(name);
      }
    },
  );
});
