import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { eventually } from '../support/receiver.js';
import { hookOf, useDeliveringApp } from '../support/tracker-hooks.js';

const ATTEMPTS = 4;
/** The steps of all attempts add up to less than the minute that the official client allows. */
const STEP_MS = 5_000;

const server = useDeliveringApp();

describe('failed deliveries', () => {
  it('are retried with a new timestamp and signature under the same delivery id; only status 200 is success', async () => {
    const org = await server.app.organization();
    const hook = await hookOf(org);
    const codes = [500, 204, 302];
    hook.refuse = () => {
      server.app.clock.advance(STEP_MS);
      const code = codes.shift() as number;
      if (codes.length === 0) hook.refuse = undefined;
      return code;
    };
    await org.client().updateUser('me', { timezone: 'Europe/London' });
    await hook.until(ATTEMPTS);
    expect(hook.answers).toEqual([500, 204, 302, 200]);
    expect(hook.heard).toHaveLength(1);
    const of = (header: string) => hook.received.map(({ headers }) => headers[header]);
    expect(new Set([...of('svc-delivery'), ...of('linear-delivery')]).size).toBe(1);
    expect(new Set(of('linear-signature')).size).toBe(ATTEMPTS);
    const client = new LinearWebhookClient(hook.secret);
    const bodies = hook.received.map(({ headers, body }) => {
      expect(client.verify(Buffer.from(body), headers['linear-signature'] as string)).toBe(true);
      const { webhookTimestamp, ...rest } = JSON.parse(body);
      expect(headers['svc-timestamp']).toBe(String(webhookTimestamp));
      return { webhookTimestamp: webhookTimestamp as number, rest };
    });
    bodies.slice(1).forEach(({ webhookTimestamp, rest }, i) => {
      expect(webhookTimestamp - bodies[i]!.webhookTimestamp).toBeGreaterThanOrEqual(STEP_MS);
      expect(rest).toEqual(bodies[0]!.rest);
    });
  });

  it('are sent hours late, after a slow request to the same webhook', async () => {
    const org = await server.app.organization();
    const hook = await hookOf(org);
    const say = (timezone: string) => org.client().updateUser('me', { timezone });
    let answer: (status: number) => void = () => undefined;
    hook.refuse = () => new Promise<number>((answered) => (answer = answered));
    await say('Europe/London');
    await eventually(() => hook.received.length === 1, 'the first one is under way');
    await say('Europe/Paris');
    hook.refuse = () => 200;
    server.app.clock.advance(7_200_000);
    answer(200);
    await hook.until(2);
    expect(hook.received.map(({ body }) => JSON.parse(body).data.timezone)).toEqual(['Europe/London', 'Europe/Paris']);
  });

  it('are signed with the current secret: a rotated one is no longer used, not even for retries', async () => {
    const org = await server.app.organization();
    const hook = await hookOf(org);
    const say = (timezone: string) => org.client().updateUser('me', { timezone });
    await say('Europe/London');
    await hook.until(1);
    const rotated = (await org.client().rotateSecretWebhook(hook.id)).secret;
    expect(rotated).not.toBe(hook.secret);
    hook.setSecret(rotated);
    await say('Europe/Paris');
    await hook.until(2);
    // between one attempt and the next
    hook.refuse = async () => {
      hook.refuse = undefined;
      hook.setSecret((await org.client().rotateSecretWebhook(hook.id)).secret);
      return 500;
    };
    await say('Europe/Rome');
    await hook.until(4);
    expect(hook.answers).toEqual([200, 200, 500, 200]);
    expect(hook.heard.map(({ data }) => data.timezone)).toEqual(['Europe/London', 'Europe/Paris', 'Europe/Rome']);
  });

  it('disable a webhook after five exhausted deliveries in a row; once enabled, it starts afresh', async () => {
    const org = await server.app.organization();
    const hook = await hookOf(org);
    const client = org.client();
    let zone = 0;
    const say = () => client.updateUser('me', { timezone: `Etc/GMT+${++zone % 12}` });
    const enabled = async () => (await client.webhook(hook.id)).enabled;
    const failing = async (events: number): Promise<void> => {
      const before = hook.received.length;
      hook.refuse = () => 500;
      for (let i = 0; i < events; i++) await say();
      await hook.until(before + events * ATTEMPTS);
    };
    const counted = (inARow: number) =>
      eventually(async () => {
        const [row] = await server.app.nest
          .get(Db)
          .readText<{ n: number }>('SELECT exhausted_in_row AS n FROM delivery_targets WHERE id = $1', [hook.id]);
        return row?.n === inARow;
      }, `${inARow} in a row`);

    // four failures and a success: the count starts again
    await failing(4);
    await counted(4);
    hook.refuse = undefined;
    await say();
    await counted(0);
    expect(await enabled()).toBe(true);

    const seen = (await org.recorded()).length;
    await failing(5);
    await eventually(async () => !(await enabled()), 'the webhook is off');
    // the server disables it by itself, so no event is recorded
    expect((await org.recorded()).length).toBe(seen + 5);
    const before = hook.received.length;
    hook.refuse = undefined;
    await say();

    await client.updateWebhook(hook.id, { enabled: true });
    await counted(0);
    await failing(4);
    await counted(4);
    hook.refuse = undefined;
    await client.updateUser('me', { timezone: 'Europe/Oslo' });
    await hook.until(before + 4 * ATTEMPTS + 1);
    // events while it was disabled are not delivered later
    expect(hook.received).toHaveLength(before + 4 * ATTEMPTS + 1);
    expect(hook.heard.at(-1).data.timezone).toBe('Europe/Oslo');
    expect(await enabled()).toBe(true);
  });

  it('are dropped when the webhook is disabled or deleted meanwhile', async () => {
    const org = await server.app.organization();
    const client = org.client();
    const [off, gone, witness] = [await hookOf(org), await hookOf(org), await hookOf(org)];
    off.refuse = () => client.updateWebhook(off.id, { enabled: false }).then(() => 500);
    gone.refuse = () => client.deleteWebhook(gone.id).then(() => 500);
    await client.updateUser('me', { timezone: 'Asia/Seoul' });
    await Promise.all([off.until(1), gone.until(1)]);
    await client.updateUser('me', { timezone: 'Asia/Tokyo' });
    await witness.until(2);
    const waiting = 'SELECT 1 FROM deliveries WHERE target_id = ANY($1::text[])';
    await eventually(
      async () => (await server.app.nest.get(Db).readText(waiting, [[off.id, gone.id]])).length === 0,
      'nothing waits',
    );
    expect([off.answers, gone.answers]).toEqual([[500], [500]]);
  });
});
