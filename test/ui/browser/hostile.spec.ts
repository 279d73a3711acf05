import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';

const SOON = { timeout: 45_000 };

const MARKUP = '<img src=x onerror="window.taken = 1"><script>window.taken = 1</script>';
const SCRIPT = 'javascript:window.taken=1';
const PAGE = 'data:text/html,<script>opener.taken=1</script>';
const PICTURE = 'https://spy.example/pixel.png';

const label = (text: string): object => ({ type: 'plain_text', text });
const markdown = (text: string): object => ({ type: 'mrkdwn', text });

/** Blocks that try to run a script, or to load something from another server. */
const BLOCKS: readonly object[] = [
  { type: 'section', text: markdown(`${MARKUP} <${SCRIPT}|press> <${PAGE}|this>`) },
  { type: 'header', text: label(MARKUP) },
  { type: 'markdown', text: `${MARKUP}\n\n[press](${SCRIPT}) ![see](${PICTURE}) <a href="${SCRIPT}">here</a>` },
  { type: 'image', image_url: PICTURE, alt_text: MARKUP, title: label(MARKUP) },
  { type: 'context', elements: [{ type: 'image', image_url: PICTURE, alt_text: MARKUP }, markdown(MARKUP)] },
  {
    type: 'rich_text',
    elements: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'link', url: SCRIPT, text: 'press' },
          { type: 'text', text: MARKUP },
        ],
      },
    ],
  },
  {
    type: 'video',
    title: label('A video'),
    // others are refused (docs/reference/blocks.md#blocks)
    title_url: 'https://far.example/',
    video_url: 'https://far.example/video',
    thumbnail_url: PICTURE,
    alt_text: MARKUP,
  },
  { type: 'actions', elements: [{ type: 'button', action_id: 'go', text: label('Press me'), url: SCRIPT }] },
];

const ATTACHMENT = {
  title: 'An attachment',
  title_link: SCRIPT,
  text: MARKUP,
  image_url: PICTURE,
  author_name: MARKUP,
  author_link: SCRIPT,
  footer: MARKUP,
  fallback: MARKUP,
};

// docs/reference/web-ui.md#headers
describeInBrowser('malicious content', (journey) => {
  it('runs nothing and loads nothing from what an app or a user writes', async () => {
    const { page, app } = journey();
    const ws = await app.workspace();
    const mallory = await ws.user({ name: 'mallory', realName: MARKUP.slice(0, 60) });
    const bot = await ws.bot({ scopes: ['chat:write', 'channels:manage', 'chat:write.customize'] });
    await ws.join(ws.general, bot, mallory);
    const channel = ws.general.id;
    await ws.message({ channel: ws.general, user: mallory, text: `${MARKUP} <${SCRIPT}|press>` });
    await bot.call('conversations.setTopic', { channel, topic: MARKUP });
    let taken = 0;
    for (const block of BLOCKS) {
      const { ok } = await bot.call('chat.postMessage', { channel, text: 'blocks', blocks: [block] });
      if (ok) taken++;
    }
    // the API refuses some of the blocks; most of them are posted
    expect(taken).toBeGreaterThan(BLOCKS.length / 2);
    await bot.call('chat.postMessage', {
      channel,
      text: 'the last one',
      username: MARKUP.slice(0, 40),
      attachments: [ATTACHMENT],
    });
    await journey().signIn(ws, { to: `/w/${ws.id}/c/${channel}` });
    await page.getByText('An attachment').waitFor();
    await journey().quiet();
    const found = await page.evaluate<string[]>(`[
      ...[...document.querySelectorAll('a[href]')]
        .filter((link) => !['http:', 'https:', 'mailto:'].includes(link.protocol)).map((link) => link.outerHTML),
      ...[...document.querySelectorAll('[onerror], [onload], [onclick], iframe, object, embed')].map((one) => one.outerHTML),
      ...[...document.querySelectorAll('img')].filter((one) => !one.src.startsWith(location.origin)).map((one) => one.outerHTML),
    ]`);
    expect(found).toEqual([]);
    // the video's address is a good one, which opens a page
    for (const name of ['press', 'this', 'here', 'An attachment', 'Press me']) {
      for (const one of await page.getByText(name, { exact: true }).all()) await one.click();
    }
    await journey().quiet();
    expect(await page.evaluate('window.taken')).toBeUndefined();
    expect(journey().context.pages()).toHaveLength(1);
    expect(new URL(page.url()).pathname).toBe(`/w/${ws.id}/c/${channel}`);
  });

  it('of one workspace is not shown in another one of the same browser', async () => {
    const { page, app } = journey();
    const [one, other] = [await app.workspace({ name: 'One' }), await app.workspace({ name: 'Other' })];
    await one.bot({ name: 'only-in-one' });
    await one.user({ name: 'only.alice' });
    const secret = await one.channel({ name: 'only-here', members: [one.admin] });
    await one.message({ channel: secret, user: one.admin, text: 'said in one alone' });
    await journey().signIn(other);
    await journey().signIn(one, { to: `/w/${one.id}/c/${secret.id}` });
    await page.getByText('said in one alone').waitFor();
    await journey().go(`/w/${one.id}/apps`);
    await page.getByRole('link', { name: /only-in-one/ }).waitFor();
    await journey().go(`/w/${one.id}/c/${secret.id}`);
    await page.getByText('said in one alone').waitFor();

    // from now on the answers for the other workspace are delayed, so nothing shown belongs to it
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/api/{apps,users.list,commands}*', async (route) => {
      await released;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Workspace: One' }).click();
    await page.getByRole('menuitem', { name: /Other/ }).click();
    await page.getByRole('button', { name: 'Workspace: Other' }).waitFor();
    await page.getByRole('textbox', { name: /^Message #/ }).waitFor();
    const ofOne = () =>
      page.evaluate<boolean>(`/only-in-one|only.alice|only-here|in one alone/.test(document.body.textContent)`);
    expect(await ofOne()).toBe(false);
    await page.getByRole('textbox', { name: /^Message #/ }).fill('@only');
    expect(await ofOne()).toBe(false);
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Apps' }).click();
    await page.getByRole('heading', { name: 'Apps', level: 1 }).waitFor();
    expect(await ofOne()).toBe(false);
    release();
    await page.getByRole('link', { name: /default-app/ }).waitFor();
    await expect.poll(ofOne, SOON).toBe(false);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});
