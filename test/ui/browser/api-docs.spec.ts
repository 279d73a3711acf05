import { expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser.js';

// a journey fails on errors in the console, such as a refused script, and on requests to other servers
describeInBrowser('the page of the REST routes', (journey) => {
  it.each(['/api/docs', '/api/docs/'])('draws all routes at %s without asking another server', async (path) => {
    const { page, app } = journey();
    await page.goto(`${app.baseUrl}${path}`);
    await page.getByRole('heading', { name: 'Understudy control plane' }).waitFor();
    await expect.poll(() => page.locator('.opblock').count(), { timeout: 45_000 }).toBeGreaterThan(50);
    await journey().quiet();
    expect(journey().faults).toEqual([]);
  });
});
