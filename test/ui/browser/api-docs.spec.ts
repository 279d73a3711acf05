import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';

// a journey fails on errors in the console, such as a refused script, and on requests to other servers
describeInBrowser('the page of the REST routes', (journey) => {
  it.each(['/api/docs', '/api/docs/'])('draws all routes at %s without asking another server', async (path) => {
    const { page, app } = journey();
    const { paths } = (await (await fetch(`${app.baseUrl}/api/docs-json`)).json()) as { paths: Record<string, object> };
    const routes = Object.values(paths).flatMap((methods) => Object.keys(methods));
    await page.goto(`${app.baseUrl}${path}`);
    await page.getByRole('heading', { name: 'Understudy control plane' }).waitFor();
    // the page draws what is in view
    const seen = new Set<string>();
    const drawn = async (): Promise<number> => {
      for (const id of await page
        .locator('.opblock')
        .evaluateAll((all: readonly unknown[]) => all.map((one) => (one as { id: string }).id)))
        seen.add(id);
      await page.mouse.wheel(0, 500);
      return seen.size;
    };
    await expect.poll(drawn, { timeout: 45_000, interval: 20 }).toBe(routes.length);
    await journey().quiet();
    expect(journey().faults).toEqual([]);
  });
});
