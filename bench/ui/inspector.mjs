// The inspector under load: ten thousand rows, two hundred entries a second.
import { openPage } from './page.mjs';

const ROWS = '[aria-label="Traffic"] [data-entry]';

const MAX_FILLING_MS = 30_000;

const shown = (page) =>
  page.evaluate(() =>
    Number(/^([\d,]+)/.exec(document.querySelector('footer')?.textContent ?? '')?.[1].replaceAll(',', '') ?? 0),
  );

/** Makes this many calls, eight at a time. */
async function calls(sandbox, count, name) {
  let next = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next < count) {
        next++;
        await fetch(`${sandbox.url}/api/auth.test`, {
          method: 'POST',
          headers: { ...sandbox.botHeaders, 'content-type': 'application/json' },
          body: JSON.stringify({ name }),
        });
      }
    }),
  );
}

/** From a key press to the frame after it was handled. */
const keyToPaint = (page, key) =>
  page.evaluate(
    (name) =>
      new Promise((done) => {
        const row = document.querySelector('[aria-label="Traffic"] [role=row][tabindex="0"]');
        row?.focus();
        const pressed = bench.now();
        (row ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
        void bench.painted().then((at) => done(at - pressed));
      }),
    key,
  );

/**
 * @param rows how many the list holds before
 * @param seconds how long entries arrive
 */
export async function inspector(browser, sandbox, { rows, seconds }) {
  await calls(sandbox, rows, 'filling');
  const page = await openPage(browser, sandbox, `/w/${sandbox.team}/inspect`);
  await page.locator(ROWS).nth(5).waitFor();
  // the list loads older entries while one is near its end, so it may hold fewer after a while
  const filled = Date.now() + MAX_FILLING_MS;
  while ((await shown(page)) < rows * 0.98 && Date.now() < filled) {
    await page.evaluate(() => {
      const grid = document.querySelector('[aria-label="Traffic"]');
      grid.scrollTop = grid.scrollHeight;
    });
    await page.evaluate('bench.painted()');
  }
  await page.evaluate(() => (document.querySelector('[aria-label="Traffic"]').scrollTop = 0));
  const before = await shown(page);

  const perSecond = 200;
  const inputs = [];
  let sent = 0;
  const coming = [];
  const until = Date.now() + seconds * 1_000;
  const pace = setInterval(() => {
    for (let i = 0; i < perSecond / 20; i++) {
      sent++;
      coming.push(
        fetch(`${sandbox.url}/api/auth.test`, { method: 'POST', headers: sandbox.botHeaders }).then((answer) =>
          answer.text(),
        ),
      );
    }
  }, 50);
  while (Date.now() < until) inputs.push(await keyToPaint(page, inputs.length % 2 ? 'k' : 'j'));
  clearInterval(pace);
  await Promise.all(coming);
  const kept = Math.min(10_000, before + sent);
  await page
    .waitForFunction(
      (wanted) =>
        Number(/^([\d,]+)/.exec(document.querySelector('footer').textContent)[1].replaceAll(',', '')) >= wanted,
      kept,
      { timeout: 20_000 },
    )
    .catch(() => undefined);
  const lost = kept - (await shown(page));

  // from setting the filter to the frame that shows its first row
  const filters = [];
  for (const preset of ['Failed', 'All', 'Tracker', 'All']) {
    filters.push(
      await page.evaluate(async (name) => {
        const button = [...document.querySelectorAll('[aria-label=Presets] button')].find(
          ({ textContent }) => textContent === name,
        );
        const pressed = bench.now();
        button.click();
        const isDone = () =>
          button.getAttribute('aria-pressed') === 'true' &&
          (document.querySelector('[aria-label="Traffic"] [data-entry]') !== null ||
            document.body.textContent.includes('No entry matches these filters'));
        return (await bench.seen(isDone)) - pressed;
      }, preset),
    );
  }
  await page.context().close();
  return { inputs, filters, lost, sent, before };
}
