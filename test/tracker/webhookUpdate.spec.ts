import { ForbiddenLinearError, InvalidInputLinearError } from '@linear/sdk';
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const app = useApp();
const url = 'http://127.0.0.1:9/hook';
const FIELDS =
  'id url label enabled secret resourceTypes allPublicTeams team { id } creator { id } createdAt updatedAt';
const CREATE = 'mutation($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }';
const UPDATE = `mutation($id: String!, $input: WebhookUpdateInput!) {
  webhookUpdate(id: $id, input: $input) { success lastSyncId webhook { ${FIELDS} } }
}`;
const READ = `query($id: String!) { webhook(id: $id) { ${FIELDS} } }`;

describe('webhookUpdate, webhookRotateSecret, webhookDelete', () => {
  it('change, rotate and delete through the official client', async () => {
    const org = await app.organization();
    const client = org.client();
    const webhook = await (await client.createWebhook({ url, resourceTypes: ['Issue'] })).webhook;
    const updated = await webhook?.update({ label: 'deploys', enabled: false });
    expect(await updated?.webhook).toMatchObject({ label: 'deploys', enabled: false });
    const same = await webhook?.update({ label: 'deploys' });
    expect(same?.lastSyncId).toBe(2);
    const rotated = await client.rotateSecretWebhook(webhook?.id as string);
    expect(rotated).toMatchObject({ success: true, lastSyncId: 3, secret: expect.stringMatching(/^svc_wh_/) });
    expect((await client.webhook(webhook?.id as string)).secret).toBe(rotated.secret);
    const deleted = await webhook?.delete();
    expect(deleted).toMatchObject({ success: true, lastSyncId: 4, entityId: webhook?.id });
    await expect(client.webhook(webhook?.id as string)).rejects.toThrow(InvalidInputLinearError);
    const events = await org.recorded();
    expect(events.map(({ kind }) => kind)).toEqual([
      'webhook.created',
      'webhook.updated',
      'webhook.updated',
      'webhook.removed',
    ]);
    expect(events[1]?.data['updatedFrom']).toEqual({ label: null, enabled: true, updatedAt: expect.any(String) });
    expect(events[2]?.data['updatedFrom']).toEqual({ updatedAt: expect.any(String) });
    expect(JSON.stringify(events)).not.toContain('svc_wh_');
  });

  it('are for admins, reading too, before the id is looked up', async () => {
    const org = await app.organization();
    const bob = await org.member();
    const client = bob.client();
    const id = randomUUID();
    for (const call of [
      () => client.webhooks(),
      () => client.webhook(id),
      () => client.createWebhook({ url, resourceTypes: ['Issue'] }),
      () => client.updateWebhook(id, { label: 'x' }),
      () => client.rotateSecretWebhook(id),
      () => client.deleteWebhook(id),
    ]) {
      await expect(call()).rejects.toThrow(ForbiddenLinearError);
    }
    expect(await bob.error(READ, { id })).toMatchObject({
      extensions: { userPresentableMessage: 'You need to be an admin to manage webhooks.' },
    });
    expect(await org.error(READ, { id })).toMatchObject({ message: 'Entity not found: Webhook' });
    const foreign = await app.organization();
    const { webhookCreate } = await foreign.data(CREATE, { input: { url, resourceTypes: ['Issue'] } });
    expect(await org.error(UPDATE, { id: webhookCreate.webhook.id, input: { label: 'x' } })).toMatchObject({
      message: 'Entity not found: Webhook',
    });
  });
});
