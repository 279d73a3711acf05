import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';
import { modalApp, type Json, type ModalApp } from '../../support/modal-app.js';
import { closeReceivers } from '../../support/receiver.js';
import { rest } from '../../support/rest-client.js';
import type { WorkspaceBuilder } from '../../support/workspace.js';

/** For conditions that are met at once, or later on a busy machine. */
const SOON = { timeout: 45_000 };

const PROMPTS = [
  { title: 'Sum up', message: 'Sum up the day' },
  { title: 'Plan', message: 'Plan my week' },
];
const AGENT = { agent_view: { agent_description: 'Helps with plans', suggested_prompts: PROMPTS } };
const ASSISTANT = { assistant_view: { assistant_description: 'Helps', suggested_prompts: PROMPTS } };
const EVENTS = [
  'agent_session_stopped',
  'agent_session_title_changed',
  'app_home_opened',
  'app_context_changed',
  'assistant_thread_started',
  'assistant_thread_context_changed',
];

interface Agent extends ModalApp {
  readonly ws: WorkspaceBuilder;
  /** Posts a message as the person, opens its thread, and answers how the app names that thread. */
  thread(words: string): Promise<{ channel: string; thread_ts: string }>;
  /** The events of a kind that the app was told. */
  told(type: string): Json[];
}

describeInBrowser('agents', (journey) => {
  closeReceivers();

  const setUp = async (features: Json = AGENT): Promise<Agent> => {
    const { app, page } = journey();
    const ws = await app.workspace({ name: 'Acme' });
    const made = await modalApp(app, ws, { features });
    const subscribed = await rest(app, 'POST /events/subscribe', {
      token: made.bot.token,
      body: { request_url: made.far.url, events: EVENTS },
    });
    expect(subscribed.status).toBeLessThan(300);
    await ws.join(ws.general, made.bot, made.person);
    await journey().signIn(ws, { as: made.person.userId });
    await page.getByRole('textbox', { name: 'Message #general' }).waitFor();
    const told = (type: string): Json[] =>
      made.far.received
        .filter(({ body }) => body.startsWith('{'))
        .flatMap(({ body }) => {
          const { event } = JSON.parse(body) as { event?: Json };
          return event === undefined ? [] : [event];
        })
        .filter((event) => event['type'] === type);
    const thread = async (words: string) => {
      const channel = ws.general.id;
      const { ts } = await made.person.call('chat.postMessage', { channel, text: words });
      await journey().go(`/w/${ws.id}/c/${channel}/t/${ts as string}`);
      await page.getByRole('complementary', { name: 'Thread' }).getByText(words).waitFor();
      return { channel, thread_ts: ts as string };
    };
    return { ...made, ws, thread, told };
  };
  const pane = (): Locator => journey().page.getByRole('complementary', { name: 'Thread' });
  const stream = async ({ bot, person, ws }: Agent, args: Json): Promise<{ channel: string; ts: string }> => {
    const recipients = { recipient_user_id: person.userId, recipient_team_id: ws.id };
    const { ok, channel, ts } = await bot.call('chat.startStream', { ...recipients, ...args });
    expect(ok).toBe(true);
    return { channel: channel as string, ts: ts as string };
  };
  const looksRight = async (name: string): Promise<void> => {
    const { page } = journey();
    expect(await journey().axe()).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await journey().axe({ again: true })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await journey().screenshot(name);
  };

  it('write a message that grows in place, with tasks whose details stay open, until it is finished', async () => {
    const agent = await setUp();
    const { page } = journey();
    const frames: number[] = [];
    const at = await stream(agent, {
      ...(await agent.thread('write')),
      markdown_text: 'Once',
      task_display_mode: 'plan',
    });
    const row = pane().locator(`[data-ts="${at.ts}"]`);
    const article = row.getByRole('article');
    await row.getByText('Once').waitFor();
    expect(await article.getAttribute('aria-busy')).toBe('true');
    await row.evaluate((one) => {
      const seen = globalThis as unknown as { changes: number[]; MutationObserver: new (told: () => void) => any }; // eslint-disable-line typescript/no-explicit-any
      seen.changes = [];
      new seen.MutationObserver(() => seen.changes.push(performance.now())).observe(one, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    for (let word = 0; word < 60; word++) {
      expect(await agent.bot.call('chat.appendStream', { ...at, markdown_text: ` word${word}` })).toMatchObject({
        ok: true,
      });
    }
    await row.getByText('word59').waitFor();
    frames.push(...((await page.evaluate('globalThis.changes')) as number[]));
    // at most ten a second; the last may come right after a pause
    for (const [index, when] of frames.entries()) {
      expect(frames.filter((other, place) => place > index && other - when < 950).length).toBeLessThanOrEqual(11);
    }
    const task = (more: Json): Json => ({ type: 'task_update', id: 't1', title: 'Look it up', ...more });
    await agent.bot.call('chat.appendStream', {
      ...at,
      chunks: [{ type: 'plan_update', title: 'How' }, task({ status: 'in_progress', details: 'First page' })],
    });
    const plan = row.getByRole('group', { name: 'How' });
    await plan.getByText('In progress').waitFor();
    await plan.getByText('Details').click();
    await plan.getByText('First page').waitFor();
    await agent.bot.call('chat.appendStream', {
      ...at,
      chunks: [
        task({
          status: 'complete',
          details: ', second page',
          sources: [{ type: 'url', url: 'https://example.com/a', text: 'Source A' }],
        }),
      ],
    });
    await plan.getByText('First page, second page').waitFor();
    await plan.getByText('1 of 1 done').waitFor();
    await plan.getByRole('link', { name: 'Source A' }).waitFor();
    await looksRight('stream');
    await agent.bot.call('chat.stopStream', { ...at, markdown_text: ' The end.' });
    await row.getByText('The end.').waitFor();
    await page.getByRole('log', { name: 'New messages' }).getByText('modal: Once word0').waitFor({ state: 'attached' });
    expect(await article.getAttribute('aria-busy')).toBe('false');
    expect(await row.getByText('Stopped').count()).toBe(0);
  });

  it('write below while somebody reads above, and nothing moves; at the end the view follows', async () => {
    const agent = await setUp();
    const { page } = journey();
    await page.setViewportSize({ width: 1280, height: 500 });
    const thread = await agent.thread('tell me a long story');
    const lines = (from: number, count: number): string =>
      Array.from({ length: count }, (_, index) => `Line ${from + index}\n\n`).join('');
    const at = await stream(agent, { ...thread, markdown_text: lines(0, 40) });
    const row = pane().locator(`[data-ts="${at.ts}"]`);
    const isAtEnd = `(() => {
      const list = document.querySelector('aside [role="list"]').parentElement;
      return list.scrollHeight - list.scrollTop - list.clientHeight < 4;
    })()`;
    await row.getByText('Line 39').waitFor();
    await expect.poll(() => page.evaluate(isAtEnd), SOON).toBe(true);
    await agent.bot.call('chat.appendStream', { ...at, markdown_text: lines(40, 20) });
    await row.getByText('Line 59').waitFor();
    await expect.poll(() => page.evaluate(isAtEnd), SOON).toBe(true);
    // to the middle of what is being written
    await page.evaluate(`document.querySelector('aside [role="list"]').parentElement.scrollTop = 300`);
    const top = async (): Promise<number> => (await row.boundingBox())?.y ?? NaN;
    const before = await top();
    for (let more = 0; more < 5; more++) {
      await agent.bot.call('chat.appendStream', { ...at, markdown_text: lines(60 + more * 10, 10) });
      await expect.poll(() => row.innerText(), SOON).toContain(`Line ${69 + more * 10}`);
      expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
    }
    await agent.bot.call('chat.stopStream', { ...at, chunks: [] });
    await expect.poll(() => row.getByRole('article').getAttribute('aria-busy'), SOON).toBe('false');
    expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1);
  });

  it('that fall silent are said to have stopped responding', async () => {
    const agent = await setUp();
    const { app } = journey();
    const at = await stream(agent, { ...(await agent.thread('go on')), markdown_text: 'Thinking of' });
    const row = pane().locator(`[data-ts="${at.ts}"]`);
    await row.getByText('Thinking of').waitFor();
    const admin = await agent.ws.jwtClient({ user: agent.ws.admin });
    const expired = await rest(app, `POST /sandboxes/self/streams/expire?team_id=${agent.ws.id}`, {
      token: admin.token,
      body: { ts: at.ts },
    });
    expect(expired.body).toEqual({ expired: 1 });
    await row.getByText('Stopped responding').waitFor();
    expect(await row.getByRole('article').getAttribute('aria-busy')).toBe('false');
    expect(await row.getByText('Thinking of').count()).toBe(1);
    await looksRight('stream-expired');
  });

  it('are stopped by a person while their session is processing', async () => {
    const agent = await setUp();
    const thread = await agent.thread('count to a million');
    const set = (status: string): Promise<Json> =>
      agent.bot.call('agents.sessions.setStatus', {
        channel_id: thread.channel,
        thread_ts: thread.thread_ts,
        status,
        title: 'Counting',
      });
    expect(await set('processing')).toMatchObject({ ok: true });
    const at = await stream(agent, { ...thread, markdown_text: 'one two three' });
    const stop = pane().getByRole('button', { name: 'Stop' });
    await stop.waitFor();
    await looksRight('stop');
    await stop.press('Enter');
    await pane().locator(`[data-ts="${at.ts}"]`).getByText('Stopped', { exact: true }).waitFor();
    await expect
      .poll(() => agent.told('agent_session_stopped'), SOON)
      .toMatchObject([{ streaming_message_ts: [at.ts] }]);
    expect(await agent.bot.call('chat.appendStream', { ...at, markdown_text: 'four' })).toMatchObject({
      error: 'stopped_by_user',
    });
    await set('active');
    await expect.poll(() => stop.count(), SOON).toBe(0);
  });

  it('have a session whose title stands over the thread, is changed there, and is listed', async () => {
    const agent = await setUp();
    const { page } = journey();
    const thread = await agent.thread('a long matter');
    const { channel, thread_ts: ts } = thread;
    await agent.bot.call('agents.sessions.setStatus', {
      channel_id: channel,
      thread_ts: ts,
      status: 'active',
      title: 'Matter',
    });
    await pane().getByText('Matter', { exact: true }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Matter' }).waitFor();
    await pane().getByRole('button', { name: 'Rename the session' }).press('Enter');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('A grave matter');
    await page.keyboard.press('Enter');
    await pane().getByText('A grave matter').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'A grave matter' }).waitFor();
    await expect
      .poll(() => agent.told('agent_session_title_changed'), SOON)
      .toMatchObject([{ title: 'A grave matter', previous_title: 'Matter' }]);
    await agent.bot.call('agents.sessions.rename', { channel_id: channel, thread_ts: ts, title: 'Renamed by the app' });
    await pane().getByText('Renamed by the app').waitFor();
    expect(await journey().axe()).toEqual([]);
  });

  it('say what they do and suggest what to ask; a prompt posts its message', async () => {
    const agent = await setUp();
    const { app, page } = journey();
    const thread = await agent.thread('what now?');
    const place = { channel_id: thread.channel, thread_ts: thread.thread_ts };
    await agent.bot.call('assistant.threads.setSuggestedPrompts', { ...place, prompts: PROMPTS });
    const prompts = pane().getByRole('group', { name: 'Suggested prompts' });
    await prompts.waitFor();
    expect(await prompts.count()).toBe(1);
    await prompts.getByRole('button', { name: 'Plan' }).press('Enter');
    await pane().getByRole('article').getByText('Plan my week').waitFor();
    const loading_messages = ['Asking the owls', 'Counting the sheep'];
    await agent.bot.call('assistant.threads.setStatus', { ...place, status: 'is thinking…', loading_messages });
    const status = pane().getByRole('status').filter({ hasText: 'is thinking…' });
    await status.getByText('modal is thinking…').waitFor();
    for (const message of loading_messages) await status.getByText(message).waitFor();
    await looksRight('status');
    // a stream ends it
    const at = await stream(agent, { ...thread, markdown_text: 'Well' });
    await expect.poll(() => status.count(), SOON).toBe(0);
    await agent.bot.call('chat.stopStream', at);
    // and so do two minutes
    await agent.bot.call('assistant.threads.setStatus', { ...place, status: 'is thinking…' });
    await status.waitFor();
    app.clock.advance(121_000);
    await expect.poll(() => status.count(), SOON).toBe(0);
    await page.getByRole('textbox', { name: 'Reply…' }).waitFor();
  });

  it('have a page of their own with the prompts of their manifest, and are told that it was opened', async () => {
    const agent = await setUp();
    const { page } = journey();
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('button', { name: 'modal' }).click();
    await page.getByRole('textbox', { name: 'Message modal' }).waitFor();
    for (const tab of ['Messages', 'Home', 'Chats']) await page.getByRole('tab', { name: tab }).waitFor();
    await expect.poll(() => agent.told('app_home_opened'), SOON).toMatchObject([{ tab: 'messages' }]);
    await page.getByRole('group', { name: 'Suggested prompts' }).getByRole('button', { name: 'Sum up' }).click();
    await page.getByRole('article').getByText('Sum up the day').waitFor();
    expect(await journey().axe()).toEqual([]);
    await journey().screenshot('agent-page');
  });

  it('that are assistants begin chats, which are listed with their titles', async () => {
    const agent = await setUp(ASSISTANT);
    const { page } = journey();
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('button', { name: 'modal' }).click();
    await page.getByRole('tab', { name: 'Chats' }).click();
    await page.getByText('No chats yet').waitFor();
    await page.getByRole('button', { name: 'New chat' }).press('Enter');
    await pane().getByText('New chat').waitFor();
    await expect.poll(() => agent.told('assistant_thread_started').length, SOON).toBe(1);
    const begun = agent.told('assistant_thread_started')[0]?.['assistant_thread'] as Json;
    const place = { channel_id: begun['channel_id'], thread_ts: begun['thread_ts'] };
    await agent.bot.call('assistant.threads.setTitle', { ...place, title: 'On owls' });
    await page.getByRole('list', { name: 'Chats' }).getByRole('link', { name: 'On owls' }).waitFor();
    expect(await journey().axe()).toEqual([]);
    await journey().screenshot('chats');
  });

  it('are asked beside a conversation, and told what is looked at', async () => {
    const agent = await setUp();
    const { page } = journey();
    await page.reload();
    const side = page.getByRole('complementary', { name: 'Agent' });
    await page.getByRole('button', { name: 'Ask an agent' }).click();
    await page.getByRole('menuitem', { name: 'modal' }).click();
    const looking = (channel: string): Json => ({
      context: { entities: [{ type: 'slack#/types/channel_id', value: channel }] },
    });
    await expect.poll(() => agent.told('app_home_opened'), SOON).toMatchObject([looking(agent.ws.general.id)]);
    await side.getByText('Helps with plans').waitFor();
    await side.getByRole('textbox', { name: 'Ask…' }).fill('what is new here?');
    await side.getByRole('textbox', { name: 'Ask…' }).press('Enter');
    await side.getByRole('article').getByText('what is new here?').waitFor();
    await looksRight('agent-pane');
    const other = await agent.ws.channel({ name: 'owls', members: [agent.person] });
    await journey().go(`/w/${agent.ws.id}/c/${other.id}`);
    await page.getByRole('textbox', { name: 'Message #owls' }).waitFor();
    await expect.poll(() => agent.told('app_context_changed'), SOON).toMatchObject([looking(other.id)]);
    await side.getByRole('article').getByText('what is new here?').waitFor();
  });

  it('are shown with the prompts of their manifest among the apps', async () => {
    const agent = await setUp();
    const { page } = journey();
    await journey().signIn(agent.ws, { to: `/w/${agent.ws.id}/apps/${agent.id}` });
    await page.getByText('An agent: Helps with plans').waitFor();
    const prompts = page.getByRole('list', { name: 'Suggested prompts' });
    expect(await prompts.getByRole('listitem').allInnerTexts()).toEqual(['Sum up Sum up the day', 'Plan Plan my week']);
    expect(await journey().axe()).toEqual([]);
  });
});
