import { ForbiddenLinearError, InvalidInputLinearError } from '@linear/sdk';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { unique } from '../support/unique.js';

const UPDATE = `mutation($input: OrganizationUpdateInput!) {
  organizationUpdate(input: $input) {
    success lastSyncId organization { name urlKey previousUrlKeys logoUrl gitBranchFormat fiscalYearStartMonth updatedAt }
  }
}`;

describe('organizationUpdate', () => {
  const app = useApp();

  it('changes the given fields and records an event for the whole organization', async () => {
    const org = await app.organization();
    const payload = await org.client().updateOrganization({ name: 'Acme', logoUrl: 'https://acme.test/logo.png' });
    expect(payload).toMatchObject({ success: true, lastSyncId: 1 });
    expect(await payload.organization).toMatchObject({ name: 'Acme', logoUrl: 'https://acme.test/logo.png' });
    const [event, ...others] = await org.recorded();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ kind: 'organization.updated', room: `org:${org.id}`, syncId: 1 });
    expect(event?.data).toEqual({
      action: 'update',
      actor: {
        id: org.owner.id,
        type: 'user',
        name: 'Ada Lovelace',
        email: org.owner.email,
        url: `${app.baseUrl}/${org.urlKey}/profiles/${org.owner.displayName}`,
      },
      createdAt: expect.any(String),
      data: {
        id: org.id,
        name: 'Acme',
        urlKey: org.urlKey,
        logoUrl: 'https://acme.test/logo.png',
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
      updatedFrom: { name: `Org ${org.urlKey}`, logoUrl: null, updatedAt: event?.data['data'].createdAt },
      url: `${app.baseUrl}/${org.urlKey}`,
      type: 'Organization',
      organizationId: org.id,
    });
  });

  it('changes neither updatedAt nor the sync id for unchanged fields', async () => {
    const org = await app.organization();
    const { organization } = await org.data('{ organization { name updatedAt } }');
    const { organizationUpdate } = await org.data(UPDATE, { input: { name: organization.name } });
    expect(organizationUpdate).toMatchObject({ success: true, lastSyncId: 0, organization });
    expect(await org.recorded()).toEqual([]);
  });

  it('reserves the last three url keys, newest first, for the organization', async () => {
    const org = await app.organization();
    const keys = [org.urlKey, ...Array.from({ length: 4 }, () => unique('key').slice(0, 32))];
    for (const urlKey of keys.slice(1)) await org.data(UPDATE, { input: { urlKey: urlKey.toUpperCase() } });
    const { organization } = await org.data('{ organization { urlKey previousUrlKeys } }');
    expect(organization).toEqual({ urlKey: keys[4], previousUrlKeys: [keys[3], keys[2], keys[1]] });
    const other = await app.organization();
    const taken = await other.error(UPDATE, { input: { urlKey: keys[2] } });
    expect(taken).toMatchObject({
      message: 'duplicate url key',
      extensions: { code: 'INPUT_ERROR', userPresentableMessage: `The URL key "${keys[2]}" is already in use.` },
    });
    // the oldest one is free for others
    await other.data(UPDATE, { input: { urlKey: keys[0] } });
    const back = await org.data(UPDATE, { input: { urlKey: keys[2] } });
    expect(back.organizationUpdate.organization.previousUrlKeys).toEqual([keys[4], keys[3], keys[1]]);
  });

  it('answers Argument Validation Error for invalid and reserved url keys', async () => {
    const org = await app.organization();
    for (const urlKey of ['-a', 'a_b', '', 'graphql', 'a'.repeat(33), null]) {
      expect(await org.error(UPDATE, { input: { urlKey } }), String(urlKey)).toMatchObject({
        message: 'Argument Validation Error',
        extensions: { code: 'INVALID_INPUT', validationErrors: expect.any(Array) },
      });
    }
    await expect(org.client().updateOrganization({ fiscalYearStartMonth: 12 })).rejects.toThrow(
      InvalidInputLinearError,
    );
  });

  it('is forbidden to members who are not admins', async () => {
    const org = await app.organization();
    const bob = await org.member();
    await expect(bob.client().updateOrganization({ name: 'Mine' })).rejects.toThrow(ForbiddenLinearError);
    expect(await bob.error(UPDATE, { input: { name: 'Mine' } })).toMatchObject({
      message: 'Forbidden',
      extensions: { type: 'forbidden', code: 'FORBIDDEN', statusCode: 403 },
    });
    expect(await org.recorded()).toEqual([]);
  });
});
