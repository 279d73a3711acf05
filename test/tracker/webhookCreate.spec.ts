import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';

const app = useApp();
const url = 'http://127.0.0.1:9/hook';
const FIELDS =
  'id url label enabled secret resourceTypes allPublicTeams team { id } creator { id } createdAt updatedAt';
const CREATE = `mutation($input: WebhookCreateInput!) {
  webhookCreate(input: $input) { success lastSyncId webhook { ${FIELDS} } }
}`;

describe('webhookCreate', () => {
  it('creates a webhook for all public teams, with a generated secret', async () => {
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

  it('accepts a team by key or id, a given id and secret', async () => {
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

  it('refuses both scopes at once, unknown teams, bad urls and types', async () => {
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
