import { describe, expect, it } from 'vitest';
import { redacted } from '../../src/kernel/log/log.js';
import { McpUrl } from '../../src/sandbox/mcp-urls/mcp-url.entity.js';
import { useApp } from '../support/app.js';
import { onPostgres, serverUrl } from '../support/databases.js';
import { twoReplicas } from '../support/replicas.js';
import { rowOf } from '../support/rows.js';
import { bearer, makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';
import type { TestApp } from '../support/app.js';

const DOCUMENT = {
  users: [{ name: 'alice' }, { name: 'ada', is_admin: true }],
  apps: [{ name: 'deploy-bot', scopes: { bot: ['chat:write', 'channels:read'] } }],
  channels: [{ name: 'ops', members: ['alice', 'deploy-bot'] }],
  tracker: { teams: [{ key: 'ENG', issues: [{ title: 'Fix login' }] }] },
};

/** Sends one message to a tool server. */
async function rpc(app: TestApp, url: string, method: string, params: object = {}, headers: object = {}) {
  const path = url.slice(new URL(url).origin.length);
  const message = { jsonrpc: '2.0', id: 1, method, params };
  return send(app, 'POST', path, { accept: 'application/json', ...headers } as Record<string, string>, message);
}
const tool = async (app: TestApp, url: string, name: string, args: object = {}) =>
  (await rpc(app, url, 'tools/call', { name, arguments: args })).body.result;

describe('tool servers by URL', () => {
  const app = useApp();
  const make = async (ctl: Record<string, string>, as?: string) => {
    const made = await send(app, 'POST', '/api/sandboxes/self/mcp-urls', ctl, as === undefined ? {} : { as });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body as { id: string; chat_url: string; issues_url: string; as: string };
  };

  it('are among the credentials of a new sandbox, and act as the default app and the admin', async () => {
    const { body, ctl } = await makeSandbox(app, DOCUMENT);
    const { mcp } = body.credentials;
    expect(mcp.chat_url).toMatch(/\/mcp\/[A-Za-z0-9]{40}\/chat$/);
    expect((await rpc(app, mcp.chat_url, 'tools/list')).body.result.tools).toHaveLength(11);
    const me = await tool(app, mcp.chat_url, 'svc_auth_test');
    const whoami = await send(app, 'POST', '/api/auth.test', bearer(body.credentials.bot_token));
    expect(me.structuredContent).toMatchObject({ user_id: whoami.body.user_id });
    const issues = await tool(app, mcp.issues_url, 'list_issues');
    expect(JSON.stringify(issues)).toContain('Fix login');
    const { body: listed } = await send(app, 'GET', '/api/sandboxes/self/mcp-urls', ctl);
    expect(listed.mcp_urls).toEqual([
      { id: expect.stringMatching(/^Mu0/), as: me.structuredContent.user, created: expect.any(Number) },
    ]);
    expect(JSON.stringify(listed)).not.toContain('/mcp/');
  });

  it('act as an app with its scopes, or as a person, whatever Authorization says', async () => {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const bot = await make(ctl, 'deploy-bot');
    expect(bot).toMatchObject({ id: expect.stringMatching(/^Mu0[0-9A-Z]{9}$/), as: 'deploy-bot' });
    const refused = await tool(app, bot.chat_url, 'svc_get_users');
    expect(refused).toMatchObject({ isError: true });
    expect(JSON.stringify(refused)).toContain('missing_scope');

    const alice = await make(ctl, 'alice');
    const strange = { authorization: 'Bearer xoxb-of-nobody' };
    const posted = await rpc(
      app,
      alice.chat_url,
      'tools/call',
      { name: 'svc_post_message', arguments: { channel_id: '#ops', text: `as alice, not ${alice.chat_url}` } },
      strange,
    );
    expect(posted.body.result.isError, JSON.stringify(posted.body)).toBeFalsy();
    const created = await tool(app, alice.issues_url, 'create_issue', { team: 'ENG', title: 'By alice' });
    expect(created.isError, JSON.stringify(created)).toBeFalsy();
    const { body: state } = await send(app, 'GET', '/api/sandboxes/self/state?document=true', ctl);
    expect(state.document.chat.message).toContainEqual(expect.objectContaining({ by: 'alice' }));
    expect(state.document.tracker.issue).toContainEqual(
      expect.objectContaining({ title: 'By alice', creator: 'alice' }),
    );

    // the path is a secret on the timeline and in the log
    const { body: timeline } = await send(
      app,
      'GET',
      '/api/sandboxes/self/timeline?kind=call&method=chat.postMessage',
      ctl,
    );
    expect(timeline.entries[0].args.text).toContain('/mcp/[redacted]/chat');
    expect(timeline.entries[0].client).toBeUndefined();
    expect(redacted(`at ${alice.chat_url}`)).toContain('/mcp/[redacted]/chat');
    const secret = alice.chat_url.split('/').at(-2) as string;
    const stored = await rowOf(app.store, McpUrl, { id: alice.id });
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(body.credentials.mcp.chat_url).not.toContain(secret);
  });

  it('are 401 when the path is wrong, and once they, their person or their sandbox are deleted; a reset keeps them', async () => {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const alice = await make(ctl, 'alice');
    const bot = await make(ctl);
    const gone = await make(ctl);
    const list = async (url: string) => (await rpc(app, url, 'tools/list')).status;
    expect((await send(app, 'DELETE', `/api/sandboxes/self/mcp-urls/${gone.id}`, ctl)).status).toBe(200);
    expect(await list(gone.chat_url)).toBe(401);
    expect((await send(app, 'DELETE', `/api/sandboxes/self/mcp-urls/${gone.id}`, ctl)).body.message).toBe(
      'mcp_url_not_found',
    );
    const wrong = bot.chat_url.replace(/[^/]{40}/, 'x'.repeat(40));
    const stranger = await rpc(app, wrong, 'initialize', {}, bearer(body.credentials.bot_token));
    expect(stranger).toMatchObject({ status: 401, body: { error: { code: -32001 } } });

    expect((await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {})).status).toBe(200);
    expect([await list(bot.chat_url), await list(bot.issues_url), await list(alice.chat_url)]).toEqual([200, 200, 200]);
    // a person who came later goes with a reset
    await send(app, 'POST', '/api/sandboxes/self/seed', ctl, { users: [{ name: 'late' }] });
    const late = await make(ctl, 'late');
    expect(await list(late.issues_url)).toBe(200);
    expect((await send(app, 'POST', '/api/sandboxes/self/reset', ctl, {})).status).toBe(200);
    expect([await list(late.chat_url), await list(late.issues_url)]).toEqual([401, 401]);

    const get = await send(app, 'GET', new URL(bot.chat_url).pathname, {});
    expect(get.status).toBe(405);
    expect((await send(app, 'DELETE', `/api/sandboxes/${body.id}`, OPERATOR)).status).toBe(200);
    expect([await list(bot.chat_url), await list(bot.issues_url)]).toEqual([401, 401]);
  });

  it('are made for nobody who is not there, by no app’s user token, and with no more rights than the maker has', async () => {
    const { ctl, body } = await makeSandbox(app, DOCUMENT);
    const path = '/api/sandboxes/self/mcp-urls';
    expect(await send(app, 'POST', path, ctl, { as: 'nobody' })).toMatchObject({
      status: 404,
      body: { message: 'user_not_found' },
    });
    expect((await send(app, 'POST', path, ctl, { as: 1 })).status).toBe(400);
    expect((await send(app, 'POST', path, ctl, { who: 'alice' })).status).toBe(400);
    expect((await send(app, 'POST', path, bearer(body.credentials.bot_token), {})).status).toBe(403);
    expect(await send(app, 'POST', path, bearer(body.credentials.user_token), {})).toMatchObject({
      status: 403,
      body: { message: 'not_allowed_token_type' },
    });
    const ada = bearer(body.credentials.users.ada.access_token);
    expect((await send(app, 'POST', path, ada, { as: body.credentials.admin.user_id })).status).toBe(403);
    const ofAda = await make(ada);
    const made = await tool(app, ofAda.issues_url, 'create_issue', { team: 'ENG', title: 'By ada' });
    expect(made.isError, JSON.stringify(made)).toBeFalsy();
    const { body: state } = await send(app, 'GET', `${'/api/sandboxes/self/state'}?document=true`, ctl);
    expect(state.document.tracker.issue).toContainEqual(expect.objectContaining({ title: 'By ada', creator: 'ada' }));
    // another sandbox's URLs are not theirs to delete
    const other = await makeSandbox(app);
    expect((await send(app, 'DELETE', `${path}/${ofAda.id}`, other.ctl)).status).toBe(404);
  });

  it('are at most 100', async () => {
    const { ctl } = await makeSandbox(app);
    const answers = await Promise.all(
      Array.from({ length: 104 }, () => send(app, 'POST', '/api/sandboxes/self/mcp-urls', ctl, {})),
    );
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(5);
    expect(refused[0]?.body.message).toBe('too_many_mcp_urls');
  });

  it('let only allowed origins in, as the tool servers with a header', async () => {
    const { body } = await makeSandbox(app);
    const { chat_url: url } = body.credentials.mcp;
    expect((await rpc(app, url, 'tools/list', {}, { origin: 'https://evil.example' })).status).toBe(403);
    const own = await rpc(app, url, 'tools/list', {}, { origin: app.baseUrl });
    expect(own.status).toBe(200);
  });
});

describe.skipIf(serverUrl === undefined)(`tool servers by URL over two replicas${onPostgres}`, () => {
  it('answer on each, and end on both', async () => {
    const [first, second] = await twoReplicas();
    const { body, ctl } = await makeSandbox(first, DOCUMENT);
    const { chat_url: url } = body.credentials.mcp;
    expect((await rpc(second, url, 'tools/list')).status).toBe(200);
    const { body: listed } = await send(second, 'GET', '/api/sandboxes/self/mcp-urls', ctl);
    await send(second, 'DELETE', `/api/sandboxes/self/mcp-urls/${listed.mcp_urls[0].id}`, ctl);
    expect((await rpc(first, url, 'tools/list')).status).toBe(401);
  });
});
