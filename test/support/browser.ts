import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page, type Request } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect } from 'vitest';
import { SignInLinks, linkUrl } from '../../src/auth/sign-in-links.js';
import { PACKAGE_ROOT } from '../../src/kernel/config/package-root.js';
import { TestApp } from './app.js';
import type { TestSandbox } from './sandbox.js';
import type { WorkspaceBuilder } from './workspace.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

/** A Chromium on this machine, if there is one. */
function findBrowser(): string | undefined {
  const chosen = process.env['SVC_TEST_BROWSER'];
  if (chosen !== undefined && chosen !== '' && chosen !== 'required') return chosen;
  const folders = (process.env['PATH'] ?? '').split(':');
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...paths, ...PLACES].find((path) => existsSync(path));
}

const executablePath = findBrowser();
const isRequired = process.env['SVC_TEST_BROWSER'] === 'required';

const ARGS = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  // the wheel scrolls without animation
  '--disable-smooth-scrolling',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The browser's console message for a response that is an intended error. */
const EXPECTED_ERRORS = /Failed to load resource: the server responded with a status of (4\d\d|502|503)/;

/** Tokens of apps and sessions, which must not occur in URLs, as URLs are logged. */
const SECRET = /xox[abep]-|xapp-|eyJ[\w-]{10}|#key=/;

/** A browser test in full mode: a server, a browser, and a page whose console must stay free of errors. */
export class Journey {
  readonly faults: string[] = [];
  context!: BrowserContext;
  page!: Page;
  private readonly contexts: BrowserContext[] = [];
  /** The pending requests of each page, without those that never end. */
  private readonly asked = new WeakMap<Page, Set<Request>>();

  constructor(
    readonly app: TestApp,
    private readonly browser: Browser,
    /** The address that browsers use: the server's, or that of a proxy in front of it. */
    readonly baseUrl = app.baseUrl,
    /** Console messages that the proxy in front of the server causes. */
    private readonly expected?: RegExp,
  ) {}

  async open(options: Parameters<Browser['newContext']>[0] = {}): Promise<void> {
    this.faults.length = 0;
    this.context = await this.newContext(options);
    this.page = await this.newPage();
  }

  /** A separate browser, as far as the server can tell; it is closed with the journey. */
  async newContext(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    // quick on an idle machine, slow on a busy one
    context.setDefaultTimeout(45_000);
    this.contexts.push(context);
    return context;
  }

  /** Another user of the workspace, in a browser of their own. */
  async personOf(ws: WorkspaceBuilder, options: { as?: string; to?: string } = {}): Promise<Page> {
    const page = await this.newPage(await this.newContext());
    await this.follow(await this.link(ws, options), page);
    return page;
  }

  /**
   * Opens a sign-in link and waits until it has signed in and the page has gone to where it leads: leaving earlier would
   * spend its key without signing in.
   */
  async follow(link: string, page = this.page): Promise<void> {
    const { pathname } = new URL(link);
    await page.goto(link);
    await page.waitForURL((url) => !url.hash.startsWith('#key=') && url.pathname !== pathname);
  }

  async newPage(context = this.context): Promise<Page> {
    const page = await context.newPage();
    page.on('pageerror', (error) => this.faults.push(`page error: ${error.message}`));
    page.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !EXPECTED_ERRORS.test(text) && this.expected?.test(text) !== true)
        this.faults.push(`console: ${text}`);
    });
    const asked = new Set<Request>();
    this.asked.set(page, asked);
    page.on('requestfinished', (request) => asked.delete(request));
    page.on('requestfailed', (request) => asked.delete(request));
    page.on('request', (request) => {
      const url = request.url();
      if (!/\/stream\?|\/socket\.io\//.test(url)) asked.add(request);
      if (!url.startsWith(this.baseUrl) && !/^(data|blob|about):/.test(url))
        this.faults.push(`foreign request: ${url}`);
      if (SECRET.test(url)) this.faults.push(`a secret in an address: ${url}`);
    });
    page.on('websocket', (socket) => {
      if (SECRET.test(socket.url())) this.faults.push(`a secret in an address: ${socket.url()}`);
    });
    return page;
  }

  /** A link that signs in as the workspace's admin, or as another user of it. */
  async link(ws: WorkspaceBuilder, options: { as?: string; to?: string } = {}): Promise<string> {
    const links = this.app.nest.get(SignInLinks, { strict: false });
    const { key } = await links.make({ accountId: options.as ?? ws.admin.id, teamId: ws.id, target: options.to });
    return linkUrl(this.baseUrl, key, options.to);
  }

  async signIn(ws: WorkspaceBuilder, options: { as?: string; to?: string } = {}): Promise<void> {
    await this.follow(await this.link(ws, options));
  }

  /** Enters a sandbox as its owner or another user, by a link that operators create. */
  async enter(sandbox: TestSandbox, options: { user?: string; to?: string } = {}): Promise<void> {
    const { body } = await sandbox.control('GET', '');
    const operator = { 'x-admin-token': 'operator-of-the-tests' };
    const link = await sandbox.send('POST', `/api/sandboxes/${body.id as string}/ui-link`, operator, options);
    if (link.status !== 201) throw new Error(JSON.stringify(link.body));
    await this.follow(link.body.url as string);
  }

  /** Navigates inside the open app as its links do, without loading the page again. */
  async go(path: string, page = this.page): Promise<void> {
    const { pathname, search } = new URL(this.baseUrl + path);
    await page.evaluate(`history.pushState(null, '', ${JSON.stringify(pathname + search)})`);
    await this.quiet(page);
  }

  /** Waits until every request is answered and the answers are rendered. */
  async quiet(page = this.page): Promise<void> {
    const asked = this.asked.get(page);
    await expect
      .poll(
        async () => {
          await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
          return asked?.size ?? 0;
        },
        { timeout: 45_000, interval: 20 },
      )
      .toBe(0);
  }

  /**
   * The rules that axe finds violated; none are expected. `again`: the same page was checked in the other colour
   * scheme just before, so only rules that depend on colours are checked. `keepPointer`: what the pointer opened, such
   * as a tooltip, is looked at too.
   */
  async axe({ page = this.page, again = false, keepPointer = false } = {}): Promise<string[]> {
    if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(AXE);
    // transitions between themes and hover styles are no findings
    if (!keepPointer) await page.mouse.move(0, 0);
    await page.evaluate(`Promise.all(document.getAnimations()
      .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
      .map((one) => one.finished.catch(() => undefined)))`);
    const found = await page.evaluate(async (isAgain) => {
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
      const runOnly = isAgain
        ? { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }
        : { type: 'tag', values: tags };
      const { axe } = globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] });
      return violations.map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map((node) => node.html.slice(0, 160))
            .join(' | ')}`,
      );
    }, again);
    return found;
  }

  /** Saves screenshots for people to look at: wide and light, narrow and dark. */
  async screenshot(name: string): Promise<void> {
    const folder = join(PACKAGE_ROOT, 'artifacts', 'ui');
    mkdirSync(folder, { recursive: true });
    await this.picture(join(folder, `${name}.png`));
    await this.page.emulateMedia({ colorScheme: 'dark' });
    await this.page.setViewportSize({ width: 390, height: 800 });
    await this.picture(join(folder, `${name}-dark-390.png`));
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.page.setViewportSize({ width: 1280, height: 800 });
  }

  /** Saves the screen of a failed journey. */
  async keep(name: string): Promise<void> {
    const folder = join(PACKAGE_ROOT, 'artifacts', 'ui');
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`) }).catch(() => undefined);
  }

  /** A picture taken once sizes are measured and nothing moves. */
  async picture(path: string, page = this.page): Promise<void> {
    await page.evaluate(`document.fonts.ready.then(() => Promise.all(document.getAnimations()
      .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
      .map((one) => one.finished.catch(() => undefined)))).then(() => new Promise((drawn) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(drawn)))))`);
    // as the browser's own tools take it, in a third of the time, as it is compressed less
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
    await devtools.detach();
    writeFileSync(path, Buffer.from(data, 'base64'));
  }

  async close(): Promise<void> {
    await Promise.all(this.contexts.splice(0).map((context) => context.close()));
  }
}

/** A server in full mode and a browser, shared by the journeys of a worker, each with a sandbox of its own. */
interface Ground {
  readonly app: TestApp;
  readonly browser: Browser;
}

/** Where a journey runs: a server, and what is in front of it. */
interface Place {
  readonly app: TestApp;
  readonly baseUrl?: string;
  /** Console messages that are no errors there. */
  readonly expected?: RegExp;
  readonly stop?: () => Promise<void>;
}

let ground: Promise<Ground> | undefined;

async function makeGround(): Promise<Ground> {
  if (executablePath === undefined) throw new Error('SVC_TEST_BROWSER=required, and no Chromium is found');
  const [browser, app] = await Promise.all([
    chromium.launch({ executablePath, args: ARGS }),
    TestApp.start({ SVC_MODE: 'full', SVC_METHODS: 'all', SVC_RATE_LIMIT_MULTIPLIER: '0' }),
  ]);
  return { app, browser };
}

let isSaid = false;

/**
 * Specs in a real browser, skipped with a reason when there is none. `before` provides another server than the shared
 * one, or a proxy in front of it.
 */
export function describeInBrowser(
  title: string,
  specs: (journey: () => Journey) => void,
  before: (ground: Ground) => Promise<Place> = async ({ app }) => ({ app }),
): void {
  const isSkipped = executablePath === undefined && !isRequired;
  if (isSkipped && !isSaid) {
    isSaid = true;
    process.stderr.write(
      'ui: no Chromium found, browser specs skipped; apt-get install chromium, or set SVC_TEST_BROWSER\n',
    );
  }
  const why = isSkipped ? `${title} (skipped: no Chromium found)` : title;
  describe.skipIf(isSkipped)(why, { timeout: 120_000 }, () => {
    let journey: Journey | undefined;
    let stop: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      const shared = await (ground ??= makeGround());
      const place = await before(shared);
      stop = place.stop;
      journey = new Journey(place.app, shared.browser, place.baseUrl, place.expected);
    }, 120_000);
    afterAll(() => stop?.());
    beforeEach(() => journey?.open());
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') await journey?.keep(`failed-${task.name.replace(/\W+/g, '-').slice(0, 60)}`);
      const faults = [...(journey?.faults ?? [])];
      await journey?.close();
      // the server is that of all specs of the worker
      journey?.app.clock.reset();
      expect(faults).toEqual([]);
    });
    specs(() => journey as Journey);
  });
}
