import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp, useApp } from '../../support/app.js';
import { makeSandbox, OPERATOR, send } from '../../support/sandbox-routes.js';

describe('what nobody needs', () => {
  const app = useApp();

  /** docs/reference/chat.md#messages */
  it.each(['>', '> ', '- ', '1. ', '*a', '**a ', '[', 'a.'])(
    'is Markdown that nests without end (%s), which is stored without holding the others',
    async (part) => {
      const bot = await (await app.workspace()).bot();
      const began = performance.now();
      const markdown = part.repeat(Math.floor(11_990 / part.length));
      const posted = await bot.call('chat.postMessage', { channel: 'general', markdown_text: `${markdown} end` });
      expect(posted).toMatchObject({ ok: true });
      expect(performance.now() - began).toBeLessThan(2_000);
    },
  );

  it('is half an address of a file: 404', async () => {
    for (const path of ['/files-pri/a', '/upload/v1/abc', '/files-pri/a/b/c/d', '/in/a/b']) {
      const { status, body } = await send(app, 'GET', path, {});
      expect({ path, status, error: body.error }).toEqual({ path, status: 404, error: 'Not Found' });
    }
  });

  /** docs/reference/sandboxes.md#changes-and-assertions */
  it('is a list of more than 500 expectations: 400 at once', async () => {
    const { ctl } = await makeSandbox(app);
    const assert = (body: object): ReturnType<typeof send> =>
      send(app, 'POST', '/api/sandboxes/self/assert', ctl, body);
    const many = (count: number): object[] => Array.from({ length: count }, () => ({ added: 'message', count: 0 }));
    expect((await assert({ expect: many(500) })).status).toBe(200);
    const began = performance.now();
    const refused = await assert({ expect: many(40_000) });
    expect(refused).toMatchObject({ status: 400, body: { message: 'expect: must be a list of at most 500' } });
    const names = await assert({ nothing_else: Array.from({ length: 200_000 }, () => 'issue') });
    expect(names).toMatchObject({
      status: 400,
      body: { message: 'nothing_else: must be a list of at most 500 entities' },
    });
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('is `joinable: null`, which says nothing', async () => {
    const body = { team: { name: 'Null', joinable: null } };
    const made = await send(app, 'POST', '/api/sandboxes', OPERATOR, body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const provisioned = await send(app, 'POST', '/api/admin/provision', OPERATOR, body);
    expect(provisioned.status, JSON.stringify(provisioned.body)).toBe(201);
    const { team, user_token: token } = provisioned.body;
    expect(team.joinable).toBe(false);
    const asAdmin = { authorization: `Bearer ${token}` };
    const changed = await send(app, 'PUT', `/api/workspaces/${team.id}`, asAdmin, { joinable: null });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    expect(changed.body.joinable).toBe(false);
  });

  it('is a frame around the page of the REST routes, or scripts in it from elsewhere', async () => {
    const page = await fetch(`${app.baseUrl}/api/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await page.text()).not.toMatch(/<script>[^<]/);
  });

  it('is to be read as a script from an inbox, or to outlive its answer', async () => {
    const { ctl } = await makeSandbox(app);
    const inbox = (headers: object): ReturnType<typeof send> =>
      send(app, 'POST', '/api/sandboxes/self/inboxes', ctl, { answers: [{ body: 'alert(1)', headers }] });
    for (const type of ['text/javascript', 'application/javascript; charset=utf-8', 'Application/X-ECMAScript']) {
      const { url } = (await inbox({ 'Content-Type': type })).body;
      const answer = await fetch(`${app.baseUrl}${new URL(url).pathname}`);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const name of 'Strict-Transport-Security Alt-Svc NEL Report-To Reporting-Endpoints Clear-Site-Data'.split(
      ' ',
    )) {
      const headers = { [name]: 'x' };
      expect(await inbox(headers)).toMatchObject({ status: 400 });
      const fault = { on: { method: '*' }, fault: { type: 'http', status: 200, headers } };
      const refused = await send(app, 'POST', '/api/sandboxes/self/faults', ctl, fault);
      expect(refused.status, name).toBe(400);
      expect(refused.body.message).toContain('this header may not be set');
    }
  });
});

/** docs/reference/limits.md#sign-in */
describe('400 sign-ins at once', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await TestApp.start({ SVC_AUTH_RATE: '10,0' });
  });
  afterAll(() => app.stop());

  it.each([
    ['of one account', () => 'nobody@example.com'],
    ['of as many accounts', (n: number) => `nobody${n}@example.com`],
  ])('%s are refused with 429 beyond those that wait, never with 503', async (_name, email) => {
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) =>
        fetch(`${app.baseUrl}/api/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: email(n), password: 'not the one' }),
        }),
      ),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    expect(statuses).toEqual(new Set([401, 429]));
    const refused = answers.find(({ status }) => status === 429) as Response;
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ message: 'ratelimited' });
  });
});
