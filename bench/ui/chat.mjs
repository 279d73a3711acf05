// What a person waits for in the chat: the first page, scrolling, other people's and own posts, switching
// conversations.
import { openPage, quantile } from './page.mjs';

const MESSAGES = '[aria-label="Messages"] [role=listitem]';

/** From the address to painted messages, with an empty cache and again with a full one; and the bytes loaded. */
export async function firstLoad(browser, sandbox, { rounds }) {
  const [cold, warm] = [[], []];
  let requests = [];
  for (let round = 0; round < rounds; round++) {
    const page = await openPage(browser, sandbox, `/w/${sandbox.team}/c/${sandbox.short}`);
    await page.locator(MESSAGES).nth(5).waitFor();
    // the session is kept, the files are not: this measures the load, not the sign-in by a link
    const devtools = await page.context().newCDPSession(page);
    const load = async () => {
      await page.goto('about:blank');
      await page.goto(`${sandbox.url}/w/${sandbox.team}/c/${sandbox.short}`, { waitUntil: 'commit' });
      return page.evaluate(async (rows) => {
        const at = await bench.seen(() => document.querySelectorAll(rows).length > 5);
        const painted = at - performance.timeOrigin;
        const begun = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < painted);
        return {
          painted,
          asked: [location.pathname, ...begun.map(({ name }) => new URL(name, location.href).pathname)],
        };
      }, MESSAGES);
    };
    await devtools.send('Network.clearBrowserCache');
    const first = await load();
    cold.push(first.painted);
    requests = first.asked;
    warm.push((await load()).painted);
    await page.context().close();
  }
  return { cold, warm, requests };
}

/** Scrolls upwards by the wheel at 3,000 px a second for a while. */
export async function scrolling(browser, sandbox, { seconds }) {
  const page = await openPage(browser, sandbox, `/w/${sandbox.team}/c/${sandbox.long}`);
  await page.locator(MESSAGES).nth(5).waitFor();
  const before = await page.evaluate('bench.heap()');
  const { times, rows } = await page.evaluate(async (ms) => {
    const scroller = document.querySelector('[aria-label="Messages"]').parentElement;
    const end = performance.now() + ms;
    let rows = 0;
    const times = await bench.frames(
      () =>
        new Promise((done) => {
          let last = performance.now();
          const step = (now) => {
            scroller.scrollTop -= (3_000 * (now - last)) / 1_000;
            last = now;
            rows = Math.max(rows, document.querySelectorAll('[aria-label="Messages"] > [role=listitem]').length);
            if (now < end) requestAnimationFrame(step);
            else done();
          };
          requestAnimationFrame(step);
        }),
    );
    return { times, rows };
  }, seconds * 1_000);
  const grown = (await page.evaluate('bench.heap()')) - before;
  await page.context().close();
  return { times, rows, megabytes: grown / 1e6 };
}

/** Twenty posts a second by an app: the time from each call to the frame that shows the message. */
export async function othersPosts(browser, sandbox, { count }) {
  const page = await openPage(browser, sandbox, `/w/${sandbox.team}/c/${sandbox.short}`);
  await page.locator(MESSAGES).nth(5).waitFor();
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor();
  await atRest(page);
  const times = [];
  const waits = [];
  for (let i = 0; i < count; i++) {
    const text = `post ${i} of the bench.`;
    const seen = page.evaluate((wanted) => bench.seen(() => bench.message(wanted)), text);
    const posted = Date.now();
    waits.push(
      sandbox.post(sandbox.short, text),
      seen.then((at) => times.push(at - posted)),
    );
    await new Promise((passed) => setTimeout(passed, Math.max(0, 50 - (Date.now() - posted))));
  }
  await Promise.all(waits);
  await page.context().close();
  return times;
}

/** Waits for what the page loads after its first screen: it should be idle, not opening. */
const atRest = (page) => page.waitForLoadState('networkidle');

/** From Enter to the frame that shows the person's own message, which does not wait for the server. */
export async function ownPosts(browser, sandbox, { count }) {
  const page = await openPage(browser, sandbox, `/w/${sandbox.team}/c/${sandbox.short}`);
  const composer = page.getByRole('textbox', { name: 'Message #short' });
  await composer.waitFor();
  const times = [];
  for (let i = 0; i < count; i++) {
    const text = `own ${i} of the bench.`;
    await composer.fill(text);
    const took = page.evaluate(
      (wanted) =>
        new Promise((done) => {
          const box = document.activeElement;
          box.addEventListener(
            'keydown',
            () => {
              const pressed = bench.now();
              void bench.seen(() => bench.message(wanted)).then((at) => done(at - pressed));
            },
            { once: true, capture: true },
          );
        }),
      text,
    );
    await composer.press('Enter');
    times.push(await took);
  }
  await page.context().close();
  return times;
}

/**
 * From the click on a conversation to the frame that shows its messages: first conversations never opened before, then
 * known ones.
 */
export async function switching(browser, sandbox, { count }) {
  const page = await openPage(browser, sandbox, `/w/${sandbox.team}/c/${sandbox.short}`);
  await page.locator(MESSAGES).nth(5).waitFor();
  const go = (name) =>
    page.evaluate(
      async ([id, title]) => {
        const clicked = bench.now();
        document.querySelector(`[data-conversation="${id}"]`).click();
        // the address changes at once, so the composer's label tells which conversation is shown; hidden lists stay in
        // the page, so only the visible one counts
        const list = () =>
          [...document.querySelectorAll('[aria-label="Messages"]')].find((one) => one.checkVisibility());
        const isThere = () =>
          document.querySelector(`[aria-label="Message #${title}"]`) !== null &&
          list()?.querySelectorAll('[role=listitem]').length > 5;
        return (await bench.seen(isThere)) - clicked;
      },
      [sandbox[name], name],
    );
  const [cached, uncached] = [[], []];
  for (let i = 0; i < count; i++) {
    await page.reload();
    await page.locator(MESSAGES).nth(5).waitFor();
    await atRest(page);
    uncached.push(await go('long'));
    cached.push(await go('short'));
    cached.push(await go('long'));
    await go('short');
  }
  await page.context().close();
  return { cached, uncached };
}

export const frameFigures = ({ times, rows, megabytes }) => ({
  p95: quantile(times, 0.95),
  longest: Math.max(...times),
  rows,
  megabytes,
});
