import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { tabTo } from '../../support/keyboard.js';
import { closeReceivers } from '../../support/receiver.js';
import { CHOICE, enterTracker, manyIssues } from '../../support/tracker-journeys.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

/** Scrolls to the end until as many are drawn as there are. */
const drawAll = (scroller: Locator, of: string, count: number): Promise<void> =>
  expect
    .poll(async () => {
      await scroller.evaluate((element: { scrollHeight: number; scrollTo(x: number, y: number): void }) =>
        element.scrollTo(0, element.scrollHeight),
      );
      return scroller.locator(of).count();
    }, SOON)
    .toBe(count);

// docs/reference/web-ui.md#tracker
describeInBrowser('the tracker in a browser', (journey) => {
  closeReceivers();

  it('delegates a new issue to an agent, which asks, is answered by a click, and responds', async () => {
    const { page, session, say, at } = await enterTracker(journey());
    await page.getByRole('link', { name: 'Tracker' }).click();
    await page.getByRole('navigation', { name: 'Tracker' }).getByRole('link', { name: /^ENG/ }).click();
    await page.getByRole('button', { name: 'New issue' }).click();
    await page.getByRole('textbox', { name: 'Title' }).fill('Fix login');
    await page.getByRole('combobox', { name: 'Delegate' }).selectOption({ label: 'helper' });
    await page.getByRole('button', { name: 'Create issue' }).click();
    const panel = page.getByRole('region', { name: 'Agent sessions' });
    await panel.getByText('Waiting', { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`${at}/t/ENG/ENG-1`);
    expect(await page.getByRole('complementary', { name: 'Properties' }).getByText('helper').count()).toBe(1);
    const id = await session();
    const since = performance.now();
    await say(id, { type: 'thought', body: 'Looking at it' });
    await panel.getByRole('listitem').filter({ hasText: 'Looking at it' }).waitFor();
    // a second on an idle machine; ten times that on a busy one
    expect(performance.now() - since).toBeLessThan(10_000);
    await say(id, { type: 'thought', body: 'Only passing' }, { ephemeral: true });
    await panel.locator('[data-ephemeral="true"]').getByText('Only passing').waitFor();
    await say(id, { type: 'elicitation', body: 'Which branch?' }, CHOICE);
    await panel.getByText('Needs input', { exact: true }).waitFor();
    expect(await panel.getByText('Only passing').count()).toBe(0);
    await panel.getByRole('button', { name: 'Main' }).click();
    expect(await session(2)).toBe(id);
    await say(id, { type: 'response', body: 'It is fixed.' });
    await panel.getByText('Complete', { exact: true }).waitFor();
    const activity = page.getByRole('region', { name: 'Activity' });
    await activity.getByText('It is fixed.').waitFor();
    await activity.getByText('Which branch?').waitFor();
    await activity.getByText('main', { exact: true }).waitFor();
    await journey().screenshot('tracker-issue');
    await panel.getByRole('button', { name: 'See request' }).click();
    const entry = page.getByRole('complementary', { name: 'Entry' });
    await entry
      .getByText(/AgentSessionEvent/)
      .first()
      .waitFor();
  });

  it('does all of it by keyboard alone', async () => {
    const { page, session, say } = await enterTracker(journey(), [
      { title: 'First' },
      { title: 'Second', priority: 1 },
    ]);
    await tabTo(page, 'Tracker');
    await page.keyboard.press('Enter');
    await page.getByRole('grid', { name: 'Issues' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('Crash');
    await tabTo(page, 'Create issue');
    await page.keyboard.press('Enter');
    const grid = page.getByRole('grid', { name: 'Issues' });
    await grid.getByRole('row', { name: /ENG-3 Crash/ }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // to the first row, which is the urgent one, and on
    await page.keyboard.press('j');
    await expect.poll(() => page.evaluate('document.activeElement.dataset.issue'), SOON).toBe('ENG-2');
    await page.keyboard.press('j');
    const at = String(await page.evaluate('document.activeElement.dataset.issue'));
    await page.keyboard.press('s');
    await page.getByRole('combobox', { name: `Status of ${at}` }).waitFor();
    await page.keyboard.type('progr');
    await page.keyboard.press('Enter');
    await grid
      .getByRole('rowgroup', { name: 'In Progress' })
      .getByRole('row', { name: new RegExp(at) })
      .waitFor();
    await page.keyboard.press('b');
    await page
      .getByRole('region', { name: 'Board' })
      .getByRole('list', { name: 'In Progress' })
      .getByText(at)
      .waitFor();
    await page.keyboard.press('b');
    await grid.waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Properties' }).waitFor();
    const opened = /[A-Z]+-\d+$/.exec(new URL(page.url()).pathname)![0];
    await page.keyboard.press('d');
    await page.getByRole('combobox', { name: `Delegate to an agent of ${opened}` }).waitFor();
    await page.keyboard.type('helper');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'Agent sessions' });
    await panel.getByText('Waiting', { exact: true }).waitFor();
    const id = await session();
    await say(id, { type: 'elicitation', body: 'Which branch?' }, CHOICE);
    await panel.getByRole('button', { name: 'next' }).waitFor();
    await tabTo(page, 'next');
    await page.keyboard.press('Enter');
    expect(await session(2)).toBe(id);
    await say(id, { type: 'thought', body: 'On it' });
    await panel.getByText('Working', { exact: true }).waitFor();
    await tabTo(page, 'Stop');
    await page.keyboard.press('Enter');
    await panel.getByText('Stopping', { exact: true }).waitFor();
    await say(id, { type: 'response', body: 'Stopped.' });
    await panel.getByText('Complete', { exact: true }).waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('m');
    const box = page.getByRole('textbox', { name: `Comment on ${opened}` });
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel'), SOON).toBe(`Comment on ${opened}`);
    await page.keyboard.type('Thanks @hel');
    await page.getByRole('option', { name: /helper.*agent/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(await box.inputValue()).toBe('Thanks @helper ');
    await page.keyboard.press('Control+Enter');
    await page
      .getByRole('region', { name: 'Activity' })
      .getByRole('article', { name: /Thanks @helper/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await grid.waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.dataset.issue'), SOON).toBe(opened);
    await page.keyboard.press('Enter');
    await panel.getByText('Complete', { exact: true }).waitFor();
    await tabTo(page, 'See request');
    await page.keyboard.press('Enter');
    const entry = page.getByRole('complementary', { name: 'Entry' });
    await entry
      .getByText(/AgentSessionEvent/)
      .first()
      .waitFor();
  });

  it('shows two hundred issues, filters them in the address, and follows what others do', async () => {
    const { page, go, act } = await enterTracker(journey(), manyIssues(200));
    await go('/t/ENG');
    const grid = page.getByRole('grid', { name: 'Issues' });
    await grid.getByRole('row', { name: 'ENG-3 Issue 2' }).waitFor();
    // two hundred issues below five headings, of which only what is near the view is drawn until it is scrolled to
    expect(await grid.getAttribute('aria-rowcount')).toBe('205');
    expect(await grid.locator('[data-issue]').count()).toBeLessThan(100);
    await drawAll(grid, '[data-issue]', 200);
    await grid.getByRole('row', { name: 'ENG-5 Issue 4' }).waitFor();
    await act('issue_create', { team: 'ENG', title: 'From elsewhere', state: 'In Progress', priority: 1 });
    await grid.getByRole('row', { name: /From elsewhere/ }).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('option', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Todo' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('option', { name: 'Assignee' }).click();
    await page.getByRole('option', { name: 'Nobody' }).click();
    await page.keyboard.press('Escape');
    await expect.poll(() => grid.locator('[data-issue]').count(), SOON).toBe(13);
    expect(new URL(page.url()).searchParams.getAll('state')).toEqual(['Todo']);
    expect(new URL(page.url()).searchParams.getAll('assignee')).toEqual(['none']);
    await page.reload();
    await expect.poll(() => grid.locator('[data-issue]').count(), SOON).toBe(13);
    await page.getByRole('button', { name: 'Remove the filter Assignee: Nobody' }).click();
    await expect.poll(() => grid.locator('[data-issue]').count(), SOON).toBe(40);
    await page.getByRole('searchbox', { name: 'Search issues of ENG' }).fill('Issue 191');
    await expect.poll(() => grid.locator('[data-issue]').count(), SOON).toBe(1);
    await go('/t/ENG?view=board');
    const board = page.getByRole('region', { name: 'Board' });
    const column = (name: string): Locator => board.getByRole('list', { name, exact: true });
    await column('Backlog').waitFor();
    expect(await board.locator('[data-issue]').count()).toBeLessThan(160);
    await drawAll(column('Backlog').locator('..'), 'li', 40);
    await board.getByRole('button', { name: 'Move ENG-1', exact: true }).click();
    await page.getByRole('option', { name: 'Done' }).click();
    await expect.poll(() => column('Backlog').locator('li').count(), SOON).toBe(39);
    await drawAll(column('Done').locator('..'), 'li', 41);
    await column('Done').getByText('ENG-1', { exact: true }).waitFor();
    // by the pointer: a card is taken from one column to another
    await column('Todo').locator('[data-issue="ENG-197"]').dragTo(column('In Progress'));
    await column('In Progress').getByText('ENG-197', { exact: true }).waitFor();
    await journey().quiet();
    await page.reload();
    await column('In Progress').getByText('ENG-197', { exact: true }).waitFor();
    await board.getByRole('button', { name: 'Change ENG-197' }).click();
    await page.getByRole('option', { name: 'Priority' }).click();
    await page.getByRole('option', { name: 'Low' }).click();
    await expect
      .poll(() => column('In Progress').locator('li').first().getAttribute('data-issue'), SOON)
      .not.toBe('ENG-197');
  });

  it('acts as the person that the tab acts as, who hears of it too', async () => {
    const { page, go, act, people, at } = await enterTracker(journey(), [{ title: 'Fix login' }]);
    await page.evaluate(`sessionStorage.setItem('persona:${at.slice(3)}', '${people['bob']}')`);
    await page.reload();
    await page.getByText('You are acting as').waitFor();
    await go('/t/ENG/ENG-1');
    const activity = page.getByRole('region', { name: 'Activity' });
    await page.getByRole('textbox', { name: 'Comment on ENG-1' }).fill('It is me');
    await activity.getByRole('button', { name: 'Send' }).click();
    await activity.getByRole('article', { name: 'bob: It is me' }).waitFor();
    await act('comment', { issue: 'ENG-1', body: 'And me' });
    await activity.getByRole('article', { name: 'alice: And me' }).waitFor();
  });

  it('keeps what is said about an issue in one order with what was done', async () => {
    const { page, go, act, agent } = await enterTracker(journey(), [{ title: 'Fix login' }, { title: 'Fix logout' }]);
    await go('/t/ENG/ENG-1');
    const activity = page.getByRole('region', { name: 'Activity' });
    await page.getByRole('textbox', { name: 'Comment on ENG-1' }).fill('I can **see** it');
    await activity.getByRole('button', { name: 'Send' }).click();
    const comment = activity.getByRole('article', { name: /I can/ });
    await comment.locator('strong', { hasText: 'see' }).waitFor();
    await act('issue_update', { issue: 'ENG-1', state: 'Todo', assignee: 'bob', labels: ['Bug'] }, 'bob');
    await activity.getByText('moved it from Backlog to Todo, assigned it to bob, added the label Bug').waitFor();
    await activity.getByRole('button', { name: 'Reply' }).click();
    await page.getByRole('textbox', { name: /^Reply to/ }).fill('So can I');
    await page.keyboard.press('Control+Enter');
    await activity.getByRole('article', { name: /So can I/ }).waitFor();
    await comment.getByRole('button', { name: 'Add a reaction' }).click();
    await page.getByRole('dialog', { name: 'Emoji' }).getByRole('searchbox').fill('tada');
    await page.keyboard.press('Enter');
    await comment.getByRole('button', { name: 'tada, 1' }).waitFor();
    await activity.getByRole('button', { name: 'Resolve thread' }).click();
    await activity.getByText(/resolved this thread, 2 comments/).waitFor();
    await page.getByRole('button', { name: 'Add a relation' }).click();
    await page.getByRole('textbox', { name: 'Issue' }).fill('ENG-2');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('region', { name: 'Relations' }).getByText('Fix logout').waitFor();
    await activity.getByText('noted that it blocks ENG-2').waitFor();
    await agent.createAttachment({ issueId: 'ENG-1', title: 'Trace', url: 'https://trace.example/1' });
    await page.getByRole('region', { name: 'Attachments' }).getByRole('link', { name: 'Trace' }).waitFor();
    await page.getByRole('button', { name: 'Status: Todo' }).click();
    await page.getByRole('option', { name: 'Done' }).click();
    await activity.getByText('moved it from Todo to Done').waitFor();
    await act('issue_update', { issue: 'ENG-1', project: 'Website' });
    await page.getByRole('button', { name: 'Milestone: No milestone' }).click();
    await page.getByRole('option', { name: 'Beta' }).click();
    await activity.getByText('set the milestone to Beta').waitFor();
    const parent = page.getByRole('textbox', { name: 'Parent' });
    await parent.fill('ENG-2');
    await parent.press('Enter');
    await page.getByRole('navigation', { name: 'Where it is' }).getByRole('link', { name: 'ENG-2' }).waitFor();
    const { id: issueId } = await agent.issue('ENG-1');
    await agent.createDocument({ issueId, title: 'Notes', content: 'Of the **design**.' });
    await page.getByRole('button', { name: 'Notes' }).click();
    const notes = page.getByRole('dialog', { name: 'Notes' });
    await notes.getByRole('textbox', { name: 'Comment on Notes' }).fill('Well said');
    await notes.getByRole('button', { name: 'Send' }).click();
    const said = notes.getByRole('article', { name: /Well said/ });
    await said.waitFor();
    await notes.getByRole('button', { name: 'Reply' }).click();
    await notes.getByRole('textbox', { name: /^Reply to/ }).fill('Is it?');
    await page.keyboard.press('Control+Enter');
    await notes.getByRole('article', { name: /Is it/ }).waitFor();
    expect(await journey().axe()).toEqual([]);
  });

  it('says that an agent is unresponsive, shows its plan and links, and takes it off', async () => {
    const { page, go, act, agent, session, say, control } = await enterTracker(journey(), [{ title: 'Fix login' }]);
    await act('issue_update', { issue: 'ENG-1', delegate: 'helper' });
    const id = await session();
    await go('/t/ENG/ENG-1');
    const panel = page.getByRole('region', { name: 'Agent sessions' });
    await panel.getByText(/^Stale in/).waitFor();
    await control('POST', '/clock/advance', { seconds: 11 });
    await panel.getByText('unresponsive', { exact: true }).waitFor();
    await agent.updateAgentSession(id, {
      plan: [
        { content: 'Look', status: 'completed' },
        { content: 'Write', status: 'inProgress' },
      ],
      externalUrls: [{ label: 'Run 7', url: 'https://ci.example/7' }],
    });
    await panel.getByRole('list', { name: 'Plan' }).getByText('Write').waitFor();
    await panel.getByRole('link', { name: 'Run 7' }).waitFor();
    await panel.getByText('unresponsive', { exact: true }).waitFor({ state: 'detached' });
    const signalMetadata = { url: 'https://idp.example/', providerName: 'GitHub' };
    await say(id, { type: 'elicitation', body: 'Who are you?' }, { signal: 'auth', signalMetadata });
    await panel.getByRole('link', { name: 'Sign in to GitHub' }).waitFor();
    await page.getByRole('button', { name: 'Delegate', exact: true }).click();
    await page.getByRole('option', { name: 'No agent' }).click();
    await panel.getByText('dismissed').waitFor();
    await control('POST', '/clock/advance', { seconds: 1_860 });
    expect(await panel.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  });
});
