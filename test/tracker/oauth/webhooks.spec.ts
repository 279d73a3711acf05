import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { describe, expect, it } from 'vitest';
import {
  application,
  asAdmin,
  authorize,
  graphqlBy,
  postForm,
  type Application,
} from '../../support/oauth-application.js';
import { eventually, receiver, type Received } from '../../support/receiver.js';
import type { OrganizationBuilder } from '../../support/tracker.js';
import { useDeliveringApp } from '../../support/tracker-hooks.js';

const server = useDeliveringApp();

interface Told {
  readonly client: Application;
  readonly url: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of bodies freely
  readonly bodies: () => any[];
  readonly received: Received[];
}

/** An application with a webhook that answers 200. */
async function told(org: OrganizationBuilder, fields: object = {}): Promise<Told> {
  const end = await receiver();
  const client = await application(org, {
    webhookUrl: end.url,
    webhookResourceTypes: ['AppUserNotification', 'PermissionChange'],
    ...fields,
  });
  return {
    client,
    url: end.url,
    received: end.received,
    bodies: () => end.received.map(({ body }) => JSON.parse(body)),
  };
}

const asItself = { actor: 'app', scope: 'write,app:assignable,app:mentionable' };

/** docs/reference/tracker-oauth.md#webhooks */
describe('the webhook of an application', () => {
  it('is made with its first authorization, and goes with the last one, which it is told of', async () => {
    const org = await server.app.organization();
    const member = await org.member();
    const app = await told(org, { webhookResourceTypes: ['Issue'] });
    const hooks = async (): Promise<unknown[]> =>
      (await org.data('{ webhooks { nodes { url label allPublicTeams resourceTypes } } }')).webhooks.nodes;
    expect(await hooks()).toEqual([]);
    const first = await authorize(server.app, app.client, org.owner.id);
    const second = await authorize(server.app, app.client, member.user.id);
    expect(await hooks()).toEqual([
      { url: app.url, label: expect.any(String), allPublicTeams: true, resourceTypes: ['Issue'] },
    ]);
    await org.client().createIssue({ teamId: org.team.id, title: 'heard' });
    await eventually(() => app.bodies().length === 1, 'the issue');
    const verified = new LinearWebhookClient(app.client.webhookSecret as string);
    const [{ headers, body }] = app.received as [Received];
    const payload = verified.parseData(
      Buffer.from(body),
      String(headers['linear-signature']),
      JSON.parse(body).webhookTimestamp,
    );
    expect(payload).toMatchObject({ type: 'Issue', action: 'create' });
    await postForm(server.app, '/oauth/revoke', { token: first.access_token });
    expect(await hooks()).toHaveLength(1);
    await postForm(server.app, '/oauth/revoke', { token: second.access_token });
    expect(await hooks()).toEqual([]);
    expect(app.bodies().slice(1)).toEqual([
      {
        type: 'OAuthApp',
        action: 'revoked',
        oauthClientId: app.client.id,
        organizationId: org.id,
        createdAt: expect.any(String),
        webhookId: expect.any(String),
        webhookTimestamp: expect.any(Number),
      },
    ]);
  });

  it('follows what the application is changed to, and is told when that is deleted', async () => {
    const org = await server.app.organization();
    const app = await told(org);
    await authorize(server.app, app.client, org.owner.id);
    const other = await receiver();
    await asAdmin(org, 'PATCH', `/${app.client.id}`, { webhookUrl: other.url, webhookResourceTypes: ['Issue'] });
    const { webhookSecret } = (await asAdmin(org, 'POST', `/${app.client.id}/rotate-webhook-secret`)).body;
    const nodes = (await org.data('{ webhooks { nodes { url secret resourceTypes } } }')).webhooks.nodes;
    expect(nodes).toEqual([{ url: other.url, secret: webhookSecret, resourceTypes: ['Issue'] }]);
    expect((await asAdmin(org, 'DELETE', `/${app.client.id}`)).body).toEqual({ success: true });
    expect(other.received.map(({ body }) => JSON.parse(body).type)).toEqual(['OAuthApp']);
    expect((await org.data('{ webhooks { nodes { url } } }')).webhooks.nodes).toEqual([]);
  });

  it('is told what others do that concerns its own user', async () => {
    const org = await server.app.organization();
    const app = await told(org, { name: 'Tidy Bot' });
    const { access_token: token } = await authorize(server.app, app.client, org.owner.id, asItself);
    const { viewer } = (await graphqlBy(server.app, token, '{ viewer { id displayName } }')).body.data;
    const client = org.client();
    const heard = (): string[] =>
      app.bodies().flatMap(({ type, action }) => (type === 'AppUserNotification' ? [action] : []));
    const issue = (await (await client.createIssue({ teamId: org.team.id, title: 'x', assigneeId: viewer.id })).issue)!;
    await client.updateIssue(issue.id, { description: `please @${viewer.displayName}` });
    await client.updateIssue(issue.id, { description: `please @${viewer.displayName}, now` });
    await client.createComment({ issueId: issue.id, body: 'hello' });
    await client.createComment({ issueId: issue.id, body: `hello @${viewer.displayName}!` });
    const states = (await (await client.team('ENG')).states()).nodes;
    await client.updateIssue(issue.id, { stateId: states.find(({ name }) => name === 'Done')!.id });
    await client.updateIssue(issue.id, { delegateId: null });
    const expected = [
      'issueAssignedToYou',
      'issueMention',
      'issueNewComment',
      'issueCommentMention',
      'issueStatusChanged',
      'issueUnassignedFromYou',
    ];
    await eventually(() => heard().length >= expected.length, `${heard().join()}`);
    expect(heard()).toEqual(expected);
    expect(app.bodies()[2]).toMatchObject({
      appUserId: viewer.id,
      oauthClientId: app.client.id,
      notification: {
        type: 'issueNewComment',
        userId: viewer.id,
        actorId: org.owner.id,
        issueId: issue.id,
        issue: { identifier: issue.identifier, team: { key: 'ENG' } },
        comment: { body: 'hello', issueId: issue.id },
      },
    });
    // what it does itself it is not told
    await graphqlBy(
      server.app,
      token,
      `mutation { commentCreate(input: { issueId: "${issue.id}", body: "mine" }) { success } }`,
    );
    const elsewhere = await server.app.organization();
    await elsewhere.client().createIssue({ teamId: elsewhere.team.id, title: `@${viewer.displayName}` });
    await client.createComment({ issueId: issue.id, body: 'last' });
    await eventually(() => heard().length > expected.length, 'the last comment');
    expect(heard().slice(expected.length)).toEqual(['issueNewComment']);
  });

  it('is told when the teams of its own user are set, and that user sees no others', async () => {
    const org = await server.app.organization();
    const other = await org.newTeam();
    const secret = await org.newTeam({ private: true });
    const app = await told(org);
    const { access_token: token } = await authorize(server.app, app.client, org.owner.id, asItself);
    const teams = async (): Promise<string[]> =>
      (await graphqlBy(server.app, token, '{ teams { nodes { id } } }')).body.data.teams.nodes
        .map(({ id }: { id: string }) => id)
        .sort();
    expect(await teams()).toEqual([org.team.id, other.id].sort());
    const set = (body: object) => asAdmin(org, 'PUT', `/${app.client.id}/teams`, body);
    expect((await set({ teamIds: [other.id, secret.id] })).status).toBe(200);
    expect(await teams()).toEqual([other.id, secret.id].sort());
    await org.newTeam();
    expect(await teams()).toEqual([other.id, secret.id].sort());
    await eventually(() => app.bodies().length === 1, 'the change');
    expect(app.bodies()[0]).toMatchObject({
      type: 'PermissionChange',
      action: 'teamAccessChanged',
      addedTeamIds: [secret.id],
      removedTeamIds: [org.team.id],
      canAccessAllPublicTeams: false,
    });
    expect((await set({ allPublicTeams: true })).status).toBe(200);
    expect(await teams()).toHaveLength(3);
    expect((await set({ teamIds: [crypto.randomUUID()] })).body.message).toBe('team_not_found');
    expect((await set({})).status).toBe(400);
  });
});
