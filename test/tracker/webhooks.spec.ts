import { ForbiddenLinearError, InvalidInputLinearError } from '@linear/sdk';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useApp } from '../support/app.js';
import { receiver } from '../support/receiver.js';
import type { OrganizationBuilder } from '../support/tracker.js';

const app = useApp();
const url = 'http://127.0.0.1:9/hook';

const FIELDS =
  'id url label enabled secret resourceTypes allPublicTeams team { id } creator { id } createdAt updatedAt';
const CREATE = `mutation($input: WebhookCreateInput!) {
  webhookCreate(input: $input) { success lastSyncId webhook { ${FIELDS} } }
}`;
const UPDATE = `mutation($id: String!, $input: WebhookUpdateInput!) {
  webhookUpdate(id: $id, input: $input) { success lastSyncId webhook { ${FIELDS} } }
}`;
const READ = `query($id: String!) { webhook(id: $id) { ${FIELDS} } }`;

describe('webhookCreate', () => {
  it('makes one for all public teams, with a secret of its own', async () => {
    const org = await app.organization();
    const { webhookCreate } = await org.data(CREATE, { input: { url, resourceTypes: ['Issue', 'Reaction'] } });
    expect(webhookCreate).toEqual({
      success: true,
      lastSyncId: 1,
      webhook: {
        id: expect.any(String),
        url,
        label: null,
        enabled: true,
        secret: expect.stringMatching(/^svc_wh_[A-Za-z0-9]{40}$/),
        resourceTypes: ['Issue', 'Reaction'],
        allPublicTeams: true,
        team: null,
        creator: { id: org.owner.id },
        createdAt: expect.any(String),
        updatedAt: webhookCreate.webhook.createdAt,
      },
    });
    const [event] = await org.recorded();
    expect(event).toMatchObject({ kind: 'webhook.created', room: `org:${org.id}/admins`, syncId: 1 });
    expect(event?.data['data']).toEqual({
      id: webhookCreate.webhook.id,
      url,
      enabled: true,
      resourceTypes: ['Issue', 'Reaction'],
      allPublicTeams: true,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(event?.data['url']).toBe(`${app.baseUrl}/${org.urlKey}/settings/webhooks/${webhookCreate.webhook.id}`);
  });

  it('takes a team by key or id, its own id and secret', async () => {
    const org = await app.organization();
    const id = randomUUID();
    const input = { id, url, resourceTypes: ['Issue'], teamId: 'eng', secret: 's', label: 'L', enabled: false };
    const { webhookCreate } = await org.data(CREATE, { input });
    expect(webhookCreate.webhook).toMatchObject({
      id,
      secret: 's',
      label: 'L',
      enabled: false,
      allPublicTeams: false,
      team: { id: org.team.id },
    });
    expect(await org.error(CREATE, { input })).toMatchObject({
      message: 'conflict on insert of Webhook',
      extensions: { userPresentableMessage: `Entity Webhook with id ${id} already exists.` },
    });
    const byId = await org.data(CREATE, { input: { url, resourceTypes: ['Issue'], teamId: org.team.id } });
    expect(byId.webhookCreate.webhook.team).toEqual({ id: org.team.id });
  });

  it('refuses both scopes, unknown teams, bad urls and types', async () => {
    const org = await app.organization();
    const hidden = await org.newTeam({ private: true }, (await org.member()).user);
    const base = { url, resourceTypes: ['Issue'] };
    expect(await org.error(CREATE, { input: { ...base, teamId: org.team.id, allPublicTeams: true } })).toMatchObject({
      message: 'teamId and allPublicTeams exclude each other',
      extensions: { code: 'INPUT_ERROR' },
    });
    for (const teamId of [randomUUID(), 'NOPE', hidden.id]) {
      expect(await org.error(CREATE, { input: { ...base, teamId } })).toMatchObject({
        message: 'Entity not found in validateAccess: teamId',
        extensions: { userPresentableMessage: 'teamId contained an entry that could not be found.' },
      });
    }
    for (const wrong of [
      { url: 'ftp://x.y' },
      { url: 'x' },
      { resourceTypes: [] },
      { resourceTypes: ['Nope'] },
      { secret: '' },
    ]) {
      expect(await org.error(CREATE, { input: { ...base, ...wrong } }), JSON.stringify(wrong)).toMatchObject({
        message: 'Argument Validation Error',
      });
    }
    expect(await org.recorded()).toEqual([]);
  });
});

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

  it('are for admins, reading too, before the id is looked for', async () => {
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

describe('deliveries of the tracker', () => {
  const touch = (org: OrganizationBuilder, title: string) => org.client().updateUser('me', { timezone: title });
  const subscribe = async (org: OrganizationBuilder, input: object) =>
    (await org.data(CREATE, { input: { resourceTypes: ['User'], ...input } })).webhookCreate.webhook as {
      id: string;
      secret: string;
    };

  it('carry the envelope, both families of headers and a signature over the very bytes', async () => {
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

  it('are for enabled webhooks that want the type, and stop with deletion', async () => {
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
