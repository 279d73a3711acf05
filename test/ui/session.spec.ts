import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SignInLinks } from '../../src/auth/sign-in-links.js';
import { UiLinks } from '../../src/tenants/ui-links.js';
import { FirstStart } from '../../src/tenants/first-start.js';
import { TestApp } from '../support/app.js';
import { rest, refusal, type RestAnswer } from '../support/rest-client.js';
import { statementsOf } from '../support/statements.js';
import { tinyUiBuild } from '../support/ui-build.js';
import { unique } from '../support/unique.js';

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

describe('sessions of the web UI', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_MODE: 'full' }, tinyUiBuild());
    await app.nest.get(FirstStart, { strict: false }).ensure();
  });
  afterAll(() => app.stop());

  const call = (verb: string, body: object, cookie?: string, headers: Record<string, string> = SAME_ORIGIN) =>
    rest(app, `POST /ui/session/${verb}`, { body, headers: { ...headers, ...(cookie ? { cookie } : {}) } });
  const cookieOf = ({ headers }: RestAnswer): string => (headers.get('set-cookie') ?? '').split(';', 1)[0] as string;
  const person = () => ({ email: `${unique('p')}@example.com`, password: 'correct horse' });
  const signup = () => call('signup', person());
  const auth = (token: string) => rest(app, 'POST /auth.test', { token });

  it('sign up and in, with the secret in a cookie that scripts and other sites cannot read', async () => {
    const who = person();
    const made = await call('signup', who);
    expect(made.status).toBe(201);
    expect(made.headers.get('set-cookie')).toMatch(
      /^svc_ui_[0-9a-f]{8}=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/api\/ui\/session; Max-Age=2592000$/,
    );
    const again = await call('login', who);
    expect(again.status).toBe(200);
    expect(again.body).toMatchObject({
      expiresIn: 3600,
      user: { email: who.email },
      role: 'member',
      methods: expect.stringMatching(/core|all/),
      signed_in: [{ team: { id: again.body.team.id }, user: { id: again.body.user.id }, role: 'member' }],
    });
    expect(again.body).not.toHaveProperty('refreshToken');
    const [, claims] = again.body.accessToken.split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ ui: 1, sub: again.body.user.id });
    expect((await auth(again.body.accessToken)).body.ok).toBe(true);
    expect((await call('login', { ...who, password: 'wrong horse' })).body).toEqual(
      refusal(401, 'invalid_credentials'),
    );
  });

  it('refuse other origins, and forms', async () => {
    const otherOrigins: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://evil.example' },
      { 'sec-fetch-site': 'cross-site', origin: app.baseUrl },
    ];
    for (const headers of otherOrigins) {
      expect((await call('refresh', {}, undefined, headers)).body).toEqual(refusal(403, 'cross_origin'));
    }
    expect((await call('refresh', {}, undefined, { origin: app.baseUrl })).body).toEqual(refusal(401, 'not_authed'));
    const form = await rest(app, 'POST /ui/session/refresh', {
      body: new URLSearchParams({ team_id: 'T0' }),
      headers: SAME_ORIGIN,
    });
    expect(form.status).toBe(415);
  });

  it('refresh concurrently in two tabs, any number of times', async () => {
    const made = await signup();
    const answers = await Promise.all([1, 2, 3].map(() => call('refresh', {}, cookieOf(made))));
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect((await auth(answer.body.accessToken)).body).toMatchObject({ ok: true, user_id: made.body.user.id });
    }
    expect((await call('refresh', { team_id: 'T0NOTHERE01' }, cookieOf(made))).body).toEqual(
      refusal(404, 'team_not_found'),
    );
    expect((await call('refresh', {}, 'svc_ui_00000000=x')).body).toEqual(refusal(401, 'not_authed'));
  });

  it('end on sign-out: the tokens are revoked and the cookie is removed', async () => {
    const made = await signup();
    const out = await call('logout', {}, cookieOf(made));
    expect(out.body).toEqual({ success: true });
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await auth(made.body.accessToken)).body.error).toBe('token_revoked');
    expect((await call('refresh', {}, cookieOf(made))).body).toEqual(refusal(401, 'not_authed'));
  });

  it('exist for several workspaces at once, by links that work once', async () => {
    const links = app.nest.get(SignInLinks, { strict: false });
    const [one, two] = [await app.workspace(), await app.workspace()];
    const [a, b] = await Promise.all(
      [one, two].map((ws) => links.make({ accountId: ws.admin.id, teamId: ws.id, target: `/w/${ws.id}` })),
    );
    const first = await call('link', { key: a?.key });
    expect(first.body).toMatchObject({ team: { id: one.id }, to: `/w/${one.id}` });
    expect((await call('link', { key: a?.key })).body).toEqual(refusal(401, 'invalid_link'));
    const cookie = cookieOf(first);
    const second = await call('link', { key: b?.key }, cookie);
    expect(cookieOf(second)).toBe(cookie);
    expect(second.body.signed_in.map((s: { team: { id: string } }) => s.team.id).sort()).toEqual(
      [one.id, two.id].sort(),
    );
    expect((await call('refresh', { team_id: one.id }, cookie)).body.team.id).toBe(one.id);
    await call('logout', { team_id: one.id }, cookie);
    expect((await call('refresh', { team_id: one.id }, cookie)).body).toEqual(refusal(404, 'team_not_found'));
    expect((await call('refresh', {}, cookie)).body.team.id).toBe(two.id);
  });

  it('refuse expired links', async () => {
    const ws = await app.workspace();
    const { key } = await app.nest.get(SignInLinks, { strict: false }).make({ accountId: ws.admin.id, teamId: ws.id });
    app.clock.advance(3_600_001);
    const refused = await call('link', { key });
    app.clock.reset();
    expect(refused.body).toEqual(refusal(401, 'invalid_link'));
  });

  it('are opened by links that are printed on the machine of the server', async () => {
    const links = app.nest.get(UiLinks, { strict: false });
    const url = new URL(await links.open(app.baseUrl, { to: '/w/T0' }));
    const fragment = new URLSearchParams(url.hash.slice(1));
    expect(fragment.get('to')).toBe('/w/T0');
    const opened = await call('link', { key: fragment.get('key') });
    expect(opened.body).toMatchObject({ role: 'owner', to: '/w/T0' });
    await expect(links.open(app.baseUrl, { as: 'nobody-here' })).rejects.toThrow(/nobody in the default workspace/);
    await expect(links.open(app.baseUrl, { to: '//evil.example' })).rejects.toThrow(/--to must be a path/);
  });

  it('read without being counted', async () => {
    const ws = await app.workspace();
    const { key } = await app.nest.get(SignInLinks, { strict: false }).make({ accountId: ws.admin.id, teamId: ws.id });
    const { body } = await call('link', { key });
    const calls = await Promise.all(
      Array.from({ length: 60 }, () => rest(app, 'GET /conversations.list', { token: body.accessToken })),
    );
    expect(calls.every((answer) => answer.body.ok)).toBe(true);
  });

  describe('the sidebar', () => {
    it('lists the conversations of the caller with unread counts since the marks', async () => {
      const ws = await app.workspace();
      const { key } = await app.nest
        .get(SignInLinks, { strict: false })
        .make({ accountId: ws.admin.id, teamId: ws.id });
      const { body: session } = await call('link', { key });
      const bot = await ws.bot();
      const channel = await ws.channel({ members: [bot, ws.admin] } as never);
      const post = async (text: string, thread_ts?: string): Promise<string> =>
        String((await bot.call('chat.postMessage', { channel: channel.id, text, thread_ts }))['ts']);
      const first = await post('one');
      await post('a reply', first);
      await post(`for <@${ws.admin.id}>`);
      const last = await post('<!here> all');
      const sidebar = async (marks: object) =>
        (await rest(app, 'POST /ui/sidebar', { token: session.accessToken, body: { marks } })).body.conversations.find(
          (one: { id: string }) => one.id === channel.id,
        );
      expect(await sidebar({ [channel.id]: first, C0NOTHERE01: first })).toMatchObject({
        num_members: expect.any(Number),
        latest_ts: last,
        unread: 2,
        mentions: 2,
      });
      expect(await sidebar({})).toMatchObject({ unread: 0, mentions: 0 });
      expect(await sidebar({ [channel.id]: last })).toMatchObject({ unread: 0, mentions: 0 });
    });

    it('reads two hundred conversations in one statement', async () => {
      const ws = await app.workspace();
      const { key } = await app.nest
        .get(SignInLinks, { strict: false })
        .make({ accountId: ws.admin.id, teamId: ws.id });
      const { body: session } = await call('link', { key });
      const marks: Record<string, string> = {};
      for (let n = 0; n < 200; n++) {
        const { id } = await ws.channel({ members: [ws.admin] });
        marks[id] = '1.000000';
      }
      const sidebar = () => rest(app, 'POST /ui/sidebar', { token: session.accessToken, body: { marks } });
      expect((await sidebar()).body.conversations.length).toBeGreaterThanOrEqual(200);
      const chatStatements = async () => (await statementsOf(app, sidebar)).filter((name) => name.startsWith('chat_'));
      // the caller and the conversations; background statements of the server are filtered out, as they may occur or
      // not
      await expect.poll(chatStatements, { timeout: 10_000 }).toEqual(['chat_account_holders', 'chat_sidebar']);
    });
  });
});
