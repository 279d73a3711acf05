import { describe, expect, it, onTestFinished } from 'vitest';
import { TestApp, useApp } from '../../support/app.js';
import { errorOf, locationOf, offered, TestBrowser, ticketOf } from '../../support/consent.js';
import { authorize, authorizeUrl, CALLBACK, graphqlBy, redeem } from '../../support/oauth-application.js';
import { makeSandbox, OPERATOR, send } from '../../support/sandbox-routes.js';

const app = useApp();

// oxlint-disable-next-line typescript/no-explicit-any -- credentials as documents answer them
const clientOf = (shown: any) => ({
  id: shown.id,
  clientId: shown.client_id,
  clientSecret: shown.client_secret,
  webhookSecret: shown.webhook_secret,
});

/** The status with which GraphQL answers a token. */
const statusOf = async (token: string): Promise<number> => (await graphqlBy(app, token, '{ viewer { id } }')).status;

/** docs/reference/tracker-oauth.md#ends */
describe('the end of an application', () => {
  it('comes with its home organization, and then nobody has it anywhere', async () => {
    const shop = { name: 'shop', redirect_uris: [CALLBACK], public: true };
    const home = await makeSandbox(app, { tracker: { apps: [shop] } });
    const guest = await app.organization();
    const client = clientOf(home.body.credentials.tracker_apps.shop);
    const query = { organization: guest.urlKey };
    const { access_token: token } = await authorize(app, client, guest.owner.id, query);
    expect(await statusOf(token)).toBe(200);
    expect((await send(app, 'DELETE', `/api/sandboxes/${home.body.id}`, OPERATOR)).status).toBe(200);
    await expect.poll(() => statusOf(token), { timeout: 45_000 }).toBe(401);
    const page = await new TestBrowser(app).get(authorizeUrl(app, client, query));
    expect(errorOf(page)).toBe('invalid_client');
  });
});

/** docs/reference/installing.md#the-consent-page */
describe('the consent page of the tracker where people sign in', () => {
  it('asks who it is, shows no people, and gives the tokens of who signed in, whatever the form says', async () => {
    const own = await TestApp.start({ SVC_CONSENT: 'sign-in', DATABASE_URL: '', SVC_DATA_DIR: 'memory' });
    onTestFinished(() => own.stop());
    const document = { users: ['alice'], tracker: { apps: [{ name: 'shop', redirect_uris: [CALLBACK] }] } };
    const { body } = await makeSandbox(own, document);
    const client = clientOf(body.credentials.tracker_apps.shop);
    const { email, password } = body.credentials.admin;
    const alice = body.credentials.users.alice.tracker_user_id as string;
    const browser = new TestBrowser(own);
    const page = await browser.get(authorizeUrl(own, client));
    expect([page.status, offered(page, 'user'), page.html.includes('alice')]).toEqual([200, [], false]);
    const early = await browser.post('/oauth/consent', { ticket: ticketOf(page), decision: 'allow', user: alice });
    expect([early.status, errorOf(early)]).toEqual([400, 'user_not_found']);
    const signIn = (sent: string) => browser.post('/oauth/sign-in', { ticket: ticketOf(page), email, password: sent });
    expect((await signIn('not it')).status).toBe(401);
    const right = await signIn(password);
    expect([right.status, right.headers.get('location')]).toEqual([303, expect.stringContaining('/oauth/consent?')]);
    const shown = await browser.get(new URL(right.headers.get('location') ?? '', own.baseUrl).href);
    expect([shown.status, offered(shown, 'user'), shown.html.includes('alice')]).toEqual([200, [], false]);
    const decided = await browser.post('/oauth/consent', { ticket: ticketOf(shown), decision: 'allow', user: alice });
    const code = locationOf(decided).searchParams.get('code') ?? '';
    const { body: tokens } = await redeem(own, client, code);
    const viewer = await graphqlBy(own, tokens.access_token, '{ viewer { id email } }');
    expect(viewer.body.data.viewer).toMatchObject({ email });
    expect(viewer.body.data.viewer.id).not.toBe(alice);
  });
});
