import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useApp } from '../support/app.js';
import { receiver } from '../support/receiver.js';
import type { OrganizationBuilder } from '../support/tracker.js';

const app = useApp();

const CREATE = 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id secret } } }';

describe('webhook requests of the tracker', () => {
  const touch = (org: OrganizationBuilder, title: string) => org.client().updateUser('me', { timezone: title });

  const subscribe = async (org: OrganizationBuilder, input: object) =>
    (await org.data(CREATE, { input: { resourceTypes: ['User'], ...input } })).webhookCreate.webhook as {
      id: string;
      secret: string;
    };

  it('carry the envelope, both families of headers and a signature over the exact bytes', async () => {
    const org = await app.organization();
    const hook = await receiver();
    const webhook = await subscribe(org, { url: hook.url });
    await touch(org, 'Europe/London');
    const [request] = await hook.until((received) => received.length === 1);
    const body = JSON.parse(request!.body);
    expect(Object.keys(body).sort()).toEqual(
      'action actor createdAt data organizationId type updatedFrom url webhookId webhookTimestamp'.split(' '),
    );
    expect(body).toMatchObject({
      action: 'update',
      type: 'User',
      organizationId: org.id,
      webhookId: webhook.id,
      updatedFrom: { timezone: null },
      data: { id: org.owner.id, timezone: 'Europe/London', app: false, guest: false },
    });
    const { headers } = request!;
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Svc-Webhook',
      'svc-event': 'User',
      'linear-event': 'User',
      'svc-timestamp': String(body.webhookTimestamp),
      'linear-timestamp': String(body.webhookTimestamp),
      'svc-signature': headers['linear-signature'],
      'svc-delivery': headers['linear-delivery'],
    });
    expect(headers['svc-delivery']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
    const client = new LinearWebhookClient(webhook.secret);
    expect(client.verify(Buffer.from(request!.body), headers['linear-signature'] as string)).toBe(true);
  });

  it("are accepted by the official client's handler", async () => {
    const org = await app.organization();
    const heard: string[] = [];
    let handler: (request: never, response: never) => unknown = () => undefined;
    const server = createServer((request, response) => void handler(request as never, response as never));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const webhook = await subscribe(org, { url: `http://127.0.0.1:${port}/` });
    const made = new LinearWebhookClient(webhook.secret).createHandler();
    made.on('User', (payload) => void heard.push(payload.action));
    handler = made as never;
    await touch(org, 'Europe/Paris');
    await expect.poll(() => heard, { timeout: 10_000 }).toEqual(['update']);
  });

  it('are sent to enabled webhooks of the type, and stop with deletion', async () => {
    const org = await app.organization();
    const [all, team, issues, off, gone] = await Promise.all(Array.from({ length: 5 }, () => receiver()));
    await subscribe(org, { url: all!.url });
    await subscribe(org, { url: team!.url, teamId: 'ENG' });
    await subscribe(org, { url: issues!.url, resourceTypes: ['Issue'] });
    await subscribe(org, { url: off!.url, enabled: false });
    const deleted = await subscribe(org, { url: gone!.url });
    await org.client().deleteWebhook(deleted.id);
    await touch(org, 'Asia/Tokyo');
    await touch(org, 'Asia/Seoul');
    const received = await all!.until((requests) => requests.length === 2);
    expect(received.map(({ body }) => JSON.parse(body).data.timezone)).toEqual(['Asia/Tokyo', 'Asia/Seoul']);
    for (const silent of [team, issues, off, gone]) expect(silent!.received).toEqual([]);
  });
});
