import { afterAll, beforeAll, describe, it, onTestFinished } from 'vitest';
import { TestApp } from '../../support/app.js';
import { approvalBot } from './approval.js';
import { start, type Transport } from './bolt.js';
import { incidentBot } from './incident.js';
import { standupBot } from './standup.js';
import type { Platform } from './team.js';

describe.each(['HTTP', 'Socket Mode'] satisfies Transport[])('a sample app over %s', (transport) => {
  let app: TestApp;
  // no rate limits, as the specs poll; long trigger ids, as a busy machine may need over 3 s from a click to its view
  beforeAll(async () => {
    app = await TestApp.start({ SVC_TRIGGER_SECONDS: '60', SVC_RATE_LIMIT_MULTIPLIER: '0' });
  });
  afterAll(() => app.stop());
  const platform: Platform = {
    get baseUrl() {
      return app.baseUrl;
    },
    queued: async (appId) => {
      const rows = await app.store.dataSource.query(
        'SELECT 1 FROM deliveries d JOIN event_targets t ON t.id = d.target_id WHERE t.app_id = $1',
        [appId],
      );
      return (rows as unknown[]).length;
    },
  };

  it.each([approvalBot, incidentBot, standupBot])('$name serves its users', async (sample) => {
    const { team, journal, stop } = await start(sample, transport, platform);
    onTestFinished(stop);
    await sample.story(team, journal, async () => undefined);
  });
});
