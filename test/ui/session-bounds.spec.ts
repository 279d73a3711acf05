import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SignInLinks } from '../../src/auth/sign-in-links.js';
import { FirstStart } from '../../src/tenants/first-start.js';
import { TestApp } from '../support/app.js';
import { Listener } from '../support/listener.js';
import { refusal, rest, type RestAnswer } from '../support/rest-client.js';
import { tinyUiBuild } from '../support/ui-build.js';
import { unique } from '../support/unique.js';

const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

const call = (app: TestApp, verb: string, body: object, headers: Record<string, string> = {}) =>
  rest(app, `POST /ui/session/${verb}`, { body, headers: { ...SAME_ORIGIN, ...headers } });
const cookieOf = ({ headers }: RestAnswer): string => (headers.get('set-cookie') ?? '').split(';', 1)[0] as string;

// docs/reference/web-ui.md#sign-in
describe('limits of web UI sessions', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start(
      {
        SVC_MODE: 'full',
        SVC_SIGNUP: 'closed',
        SVC_AUTH_RATE: '2,0',
        SVC_PUBLIC_URL: 'https://qa.example/understudy',
        SVC_TRUSTED_PROXIES: '127.0.0.1',
        HOST: '0.0.0.0',
        // this host cannot reach loopback addresses: on a shared store it would take deliveries of other specs and
        // fail
        DATABASE_URL: '',
        SVC_DATA_DIR: 'memory',
      },
      tinyUiBuild(),
    );
    await app.nest.get(FirstStart, { strict: false }).ensure();
  });
  afterAll(() => app.stop());

  const linkInto = async (teamId: string, accountId: string): Promise<string> =>
    (await app.nest.get(SignInLinks, { strict: false }).make({ accountId, teamId })).key;

  it('refuse signing up when it is closed', async () => {
    const who = { email: `${unique('p')}@example.com`, password: 'correct horse' };
    expect((await call(app, 'signup', who)).body).toEqual(refusal(403, 'signup_closed'));
  });

  it('count wrong passwords together with those of the API, and no refreshing', async () => {
    const who = { email: `${unique('p')}@example.com`, password: 'wrong horse' };
    for (let i = 0; i < 2; i++) expect((await call(app, 'login', who)).status).toBe(401);
    const refused = await call(app, 'login', who);
    expect([refused.status, refused.body.message]).toEqual([429, 'ratelimited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    for (let i = 0; i < 5; i++) expect((await call(app, 'refresh', {})).status).toBe(401);
  });

  it('set the cookie for the path of the public URL, and for https only, if the browser uses it', async () => {
    const ws = await app.workspace();
    const byPort = await call(app, 'link', { key: await linkInto(ws.id, ws.admin.id) });
    expect(byPort.headers.get('set-cookie')).toMatch(/; Path=\/api\/ui\/session; Max-Age=2592000$/);
    const byProxy = await call(
      app,
      'link',
      { key: await linkInto(ws.id, ws.admin.id) },
      { 'x-forwarded-host': 'qa.example' },
    );
    expect(byProxy.headers.get('set-cookie')).toMatch(
      /; Path=\/understudy\/api\/ui\/session; Max-Age=2592000; Secure$/,
    );
  });

  it('allow at most twenty sessions in a browser; the least recently used one is removed', async () => {
    const first = await app.workspace();
    let cookie = cookieOf(await call(app, 'link', { key: await linkInto(first.id, first.admin.id) }));
    const { body: oldest } = await call(app, 'refresh', {}, { cookie });
    for (let i = 0; i < 20; i++) {
      const ws = await app.workspace();
      app.clock.advance(1_000);
      cookie = cookieOf(await call(app, 'link', { key: await linkInto(ws.id, ws.admin.id) }, { cookie }));
    }
    const { body } = await call(app, 'refresh', {}, { cookie });
    app.clock.reset();
    expect(body.signed_in).toHaveLength(20);
    expect(body.signed_in.map(({ team }: { team: { id: string } }) => team.id)).not.toContain(first.id);
    expect((await rest(app, 'POST /auth.test', { token: oldest.accessToken })).body.error).toBe('token_revoked');
  });

  it('close the sockets of a session when it ends', async () => {
    const ws = await app.workspace();
    const opened = await call(app, 'link', { key: await linkInto(ws.id, ws.admin.id) });
    const socket = await Listener.connect(app, { token: opened.body.accessToken });
    await call(app, 'logout', {}, { cookie: cookieOf(opened) });
    expect(await socket.end()).toBeTruthy();
  });

  it('list what may be called in the sandbox', async () => {
    const ws = await app.workspace();
    const { body } = await call(app, 'link', { key: await linkInto(ws.id, ws.admin.id) });
    expect(body).toMatchObject({
      role: 'owner',
      methods: 'all',
      sandbox_id: expect.stringMatching(/^Sb0/),
      user: { id: ws.admin.id, name: 'admin', real_name: 'Admin', email: `admin@${ws.domain}.example` },
      team: { id: ws.id, domain: ws.domain },
    });
    const token = body.accessToken as string;
    expect((await rest(app, 'PATCH /sandboxes/self', { token, body: { methods: 'core' } })).status).toBe(200);
    const again = await call(app, 'link', { key: await linkInto(ws.id, ws.admin.id) });
    expect(again.body.methods).toBe('core');
  });
});
