import { LinearClient } from '@linear/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useApp, type TestApp } from '../../support/app.js';
import { onPostgres, serverUrl } from '../../support/databases.js';
import {
  application,
  asAdmin,
  authorize,
  CALLBACK,
  codeFor,
  graphqlBy,
  pkce,
  postForm,
  redeem,
} from '../../support/oauth-application.js';
import { twoReplicas } from '../../support/replicas.js';

const app = useApp();

const clientWith = (accessToken: string, at: Pick<TestApp, 'baseUrl'> = app): LinearClient =>
  new LinearClient({ accessToken, apiUrl: `${at.baseUrl}/graphql` });

/** docs/reference/tracker-oauth.md#actors */
describe('the official client', () => {
  it('acts as the person who consented, by PKCE without a secret, and goes on after a refresh', async () => {
    const org = await app.organization();
    const member = await org.member();
    const client = await application(org);
    const { verifier, challenge } = pkce();
    const query = { scope: 'read,write', code_challenge: challenge, code_challenge_method: 'S256' };
    const fields = { client_id: client.clientId, redirect_uri: CALLBACK };
    const code = await codeFor(app, client, member.user.id, query);
    const made = await postForm(app, '/oauth/token', {
      ...fields,
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
    });
    const linear = clientWith(made.body.access_token);
    expect((await linear.viewer).id).toBe(member.user.id);
    const issue = (await (await linear.createIssue({ teamId: org.team.id, title: 'by OAuth' })).issue)!;
    expect([(await issue.creator)?.id, issue.botActor]).toEqual([member.user.id, undefined]);
    app.clock.advance(25 * 3_600_000);
    onTestFinished(() => app.clock.reset());
    await expect(linear.viewer).rejects.toThrow();
    const fresh = await postForm(app, '/oauth/token', {
      client_id: client.clientId,
      grant_type: 'refresh_token',
      refresh_token: made.body.refresh_token,
    });
    expect((await clientWith(fresh.body.access_token).viewer).id).toBe(member.user.id);
  });

  it('acts as the application itself, for people of other services', async () => {
    const org = await app.organization();
    const client = await application(org, { name: 'Tidy Bot', imageUrl: 'https://app.example/icon.png' });
    const { access_token: token } = await authorize(app, client, org.owner.id, {
      actor: 'app',
      scope: 'write,app:assignable',
    });
    const linear = clientWith(token);
    const viewer = await linear.viewer;
    expect(viewer).toMatchObject({
      app: true,
      name: 'Tidy Bot',
      displayName: 'tidy-bot',
      email: `${client.id}@oauthapp.invalid`,
      admin: false,
      active: true,
      isAssignable: true,
      isMentionable: false,
      avatarUrl: 'https://app.example/icon.png',
    });
    const input = {
      teamId: org.team.id,
      title: 'made',
      createAsUser: 'Mark',
      displayIconUrl: 'https://x.example/m.png',
    };
    const made = (await (await linear.createIssue(input)).issue)!;
    expect((await made.creator)?.id).toBe(viewer.id);
    const bot = { id: client.id, type: 'oauthClient', name: 'Tidy Bot' };
    expect(made.botActor).toMatchObject({ ...bot, userDisplayName: 'Mark', avatarUrl: 'https://x.example/m.png' });
    const comment = (await (await linear.createComment({ issueId: made.id, body: 'hi' })).comment)!;
    expect(comment.botActor).toMatchObject({ ...bot, avatarUrl: 'https://app.example/icon.png' });
    expect(comment.botActor?.userDisplayName).toBeUndefined();
    const link = { issueId: made.id, url: 'https://x.example/', title: 'Mail', createAsUser: 'Mark' };
    const attachment = (await (await linear.createAttachment({ ...link, commentBody: 'by mail' })).attachment)!;
    expect(attachment.source).toEqual({ userDisplayName: 'Mark' });
    const [mailed] = (await linear.comments({ filter: { body: { eq: 'by mail' } } })).nodes;
    expect(mailed!.botActor).toMatchObject({ ...bot, userDisplayName: 'Mark' });
    expect(
      await org.client().createIssue({ teamId: org.team.id, title: 'for it', assigneeId: viewer.id }),
    ).toBeDefined();
    // a newer token without app:assignable takes that away
    await authorize(app, client, org.owner.id, { actor: 'app', scope: 'write' });
    await expect(
      org.client().createIssue({ teamId: org.team.id, title: 'not for it', assigneeId: viewer.id }),
    ).rejects.toThrow('user is not assignable');
    await asAdmin(org, 'DELETE', `/${client.id}/authorization`);
    expect(await org.data('query ($id: String!) { user(id: $id) { active app } }', { id: viewer.id })).toEqual({
      user: { active: false, app: true },
    });
    const again = await authorize(app, client, org.owner.id, { actor: 'app' });
    expect((await clientWith(again.access_token).viewer).id).toBe(viewer.id);
  });
});

describe('createAsUser', () => {
  it('is refused to people, and an icon without it to everybody', async () => {
    const org = await app.organization();
    const client = await application(org);
    const sentence = 'createAsUser is only available in actor=app mode';
    const issue = (more: string): string =>
      `mutation { issueCreate(input: { teamId: "${org.team.id}", title: "x", ${more} }) { success } }`;
    expect((await org.error(issue('createAsUser: "Mark"'))).message).toBe(sentence);
    expect((await org.error(issue('displayIconUrl: "https://x.example/"'))).message).toBe(sentence);
    const person = await authorize(app, client, org.owner.id, { scope: 'write' });
    const itself = await authorize(app, client, org.owner.id, { scope: 'write', actor: 'app' });
    for (const [token, more] of [
      [person.access_token, 'createAsUser: "Mark"'],
      [itself.access_token, 'displayIconUrl: "https://x.example/"'],
    ] as const)
      expect((await graphqlBy(app, token, issue(more))).body.errors?.[0]?.message).toBe(sentence);
  });
});

describe('applications over two replicas', () => {
  it.skipIf(serverUrl === undefined)(
    `see one of many redemptions of a code succeed, and what is revoked at one refused at the other${onPostgres}`,
    async () => {
      const [one, two] = await twoReplicas();
      const org = await one.organization();
      const client = await application(org);
      const code = await codeFor(two, client, org.owner.id);
      const answers = await Promise.all([one, two, one, two].map((at) => redeem(at, client, code)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
      const { access_token: token } = await authorize(two, client, org.owner.id);
      expect((await clientWith(token, one).viewer).id).toBe(org.owner.id);
      await postForm(two, '/oauth/revoke', { token });
      await expect(clientWith(token, one).viewer).rejects.toThrow();
    },
  );
});
