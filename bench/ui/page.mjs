// A Chromium for the benches of the web UI, and the functions that measure inside its pages.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** SVC_TEST_BROWSER, else the first of the usual names on the path; undefined if there is none. */
function findBrowser() {
  const chosen = process.env.SVC_TEST_BROWSER;
  if (chosen && chosen !== 'required') return chosen;
  const folders = (process.env.PATH ?? '').split(':');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** Starts a browser, if the machine has one. */
export async function openBrowser() {
  const executablePath = findBrowser();
  if (!executablePath) return undefined;
  return chromium.launch({
    executablePath,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-dev-shm-usage',
      '--disable-gpu',
      '--disable-smooth-scrolling',
      // allows reading the exact heap size and collecting garbage
      '--enable-precise-memory-info',
      '--js-flags=--expose-gc',
    ],
  });
}

export const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * share) - 1)];

/**
 * Runs before every page: records when an element with a selector or a text is first painted. `bench.seen(find)`
 * resolves with the time of the frame after it appeared in the page, in ms since 1970.
 */
export const INSIDE = `
  window.bench = {
    now: () => performance.timeOrigin + performance.now(),
    painted: () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(bench.now())))),
    seen(find) {
      return new Promise((done) => {
        const look = () => {
          if (!find()) return false;
          observer.disconnect();
          bench.painted().then(done);
          return true;
        };
        const observer = new MutationObserver(look);
        if (!look()) observer.observe(document, { subtree: true, childList: true, characterData: true });
      });
    },
    message: (text) => [...document.querySelectorAll('[aria-label="Messages"] [role=listitem]')]
      .some((row) => row.textContent.includes(text)),
    /** Frame by frame: how long each took, in ms, while something is done. */
    async frames(work) {
      const times = [];
      let isOver = false;
      let last = performance.now();
      const next = (now) => {
        times.push(now - last);
        last = now;
        if (!isOver) requestAnimationFrame(next);
      };
      requestAnimationFrame((now) => { last = now; requestAnimationFrame(next); });
      await work();
      isOver = true;
      return times;
    },
    heap() {
      gc?.();
      return performance.memory.usedJSHeapSize;
    },
  };
`;

/** A page signed in by a link of the sandbox's. */
export async function openPage(browser, sandbox, to) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(INSIDE);
  const page = await context.newPage();
  await page.goto(await sandbox.link(to));
  return page;
}
