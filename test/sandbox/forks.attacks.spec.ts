import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { consent, offered, TestBrowser } from '../support/consent.js';
import { eventually } from '../support/receiver.js';
import { bearer, makeSandbox, send } from '../support/sandbox-routes.js';

const app = useApp();

// specs read nested fields freely
// oxlint-disable-next-line no-explicit-any
type Made = any;

const DOCUMENT = {
  clock: { now: '2026-03-01T09:00:00Z', frozen: true },
  users: [{ name: 'alice', is_admin: true }, 'bob'],
  apps: [
    {
      name: 'deploy-bot',
      scopes: { bot: ['chat:write', 'channels:history', 'files:read', 'files:write'] },
      redirect_urls: ['https://app.example/back'],
    },
  ],
  channels: [{ name: 'ops', members: ['alice', 'bob', 'deploy-bot'] }],
  tracker: { teams: [{ key: 'ENG', issues: [{ title: 'One' }] }] },
};

async function forksOf(document: object, count = 2): Promise<{ source: Made; forks: Made[] }> {
  const source = (await makeSandbox(app, document)).body;
  const control = bearer(source.credentials.control_token);
  const { body } = await send(app, 'POST', '/api/sandboxes/self/snapshots', control, {});
  const fork = async (): Promise<Made> =>
    (await makeSandbox(app, { from: body.id, id_space: 'own', deterministic: true, journal: true })).body;
  const forks: Made[] = [];
  for (let n = 0; n < count; n++) forks.push(await fork());
  return { source, forks };
}

const call = async (one: Made, method: string, args: object, token = one.credentials.user_token): Promise<Made> =>
  (await send(app, 'POST', `/api/${method}`, bearer(token), args)).body;

const graphql = async (key: string, query: string): Promise<Made> =>
  (await send(app, 'POST', '/graphql', { authorization: key }, { query })).body;

/** A request whose `Host` is the vendor's. */
const asHost = (host: string, path: string, headers: Record<string, string>, method = 'GET'): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(app.baseUrl);
    httpRequest({ hostname, port, path, method, headers: { host, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

describe('whoever has the ids of a fork', () => {
  it('reaches with the token of another one what has these ids there, whatever it is', async () => {
    const { forks } = await forksOf(DOCUMENT);
    const [mine, other] = forks;
    const { ops } = mine.credentials.channels;
    const { ts } = await call(mine, 'chat.postMessage', { channel: ops, text: 'the secret of one fork' });
    const made = await call(mine, 'conversations.create', { name: 'hidden', is_private: true });
    const slot = await call(mine, 'files.getUploadURLExternal', { filename: 'a.txt', length: 6 });
    await fetch(slot.upload_url, { method: 'POST', body: 'secret' });
    await call(mine, 'files.completeUploadExternal', { files: [{ id: slot.file_id }], channel_id: ops });
    const { file } = await call(mine, 'files.info', { file: slot.file_id });
    const { data } = await graphql(
      mine.credentials.api_key,
      `mutation { issueCreate(input: { teamId: "${mine.credentials.teams.ENG.id}", title: "Secret" }) { issue { id } } }`,
    );
    const issue = data.issueCreate.issue.id as string;
    expect(await call(other, 'conversations.history', { channel: ops })).toMatchObject({ messages: [] });
    expect(await call(other, 'reactions.add', { channel: ops, timestamp: ts, name: 'eyes' })).toMatchObject({
      error: 'message_not_found',
    });
    expect(await call(other, 'chat.delete', { channel: ops, ts })).toMatchObject({ error: 'message_not_found' });
    expect(await call(other, 'conversations.info', { channel: made.channel.id })).toMatchObject({
      error: 'channel_not_found',
    });
    expect(await call(other, 'files.info', { file: slot.file_id })).toMatchObject({ error: 'file_not_found' });
    const read = await fetch(file.url_private, { headers: bearer(other.credentials.user_token) });
    expect(read.status).toBe(404);
    const asked = await graphql(other.credentials.api_key, `{ issue(id: "${issue}") { title } }`);
    expect(JSON.stringify(asked)).not.toContain('Secret');
    const changed = await graphql(
      other.credentials.api_key,
      `mutation { issueUpdate(id: "${issue}", input: { title: "Mine" }) { success } }`,
    );
    expect(changed.errors).toHaveLength(1);
    for (const path of ['timeline', 'state', 'seed', 'trajectory', 'clock']) {
      const control = bearer(other.credentials.control_token);
      expect((await send(app, 'GET', `/api/sandboxes/${mine.id}/${path}`, control)).status).toBe(404);
    }
    expect(
      (await send(app, 'POST', `/api/sandboxes/${mine.id}/reset`, bearer(other.credentials.control_token), {})).status,
    ).toBe(404);
    expect(await call(mine, 'conversations.history', { channel: ops })).toMatchObject({
      messages: [{}, { text: 'the secret of one fork' }],
    });
  });

  it('gets triggers of the fork alone that gave them out', async () => {
    const { forks } = await forksOf(DOCUMENT);
    const [mine, other] = forks;
    const viewOf = (one: Made, trigger: string): Promise<Made> =>
      call(
        one,
        'views.open',
        {
          trigger_id: trigger,
          view: { type: 'modal', title: { type: 'plain_text', text: 'T' }, blocks: [{ type: 'divider' }] },
        },
        one.credentials.apps['deploy-bot'].bot_token,
      );
    expect(await viewOf(other, '1772355600000.000000000001.0123456789abcdef01234567')).toMatchObject({
      error: 'invalid_trigger_id',
    });
    expect(await viewOf(mine, 'not a trigger')).toMatchObject({ error: 'invalid_trigger_id' });
  });

  it('sees them on the page of consent, and gives them back there', async () => {
    const { source, forks } = await forksOf(DOCUMENT);
    const [mine] = forks;
    const { client_id: clientId, client_secret: secret, app_id: appId } = mine.credentials.apps['deploy-bot'];
    const url =
      `${app.baseUrl}/oauth/v2/authorize?client_id=${clientId}&scope=chat:write&team=${source.team_id}` +
      `&state=${source.team_id}&redirect_uri=${encodeURIComponent('https://app.example/back')}`;
    const page = await new TestBrowser(app).get(url);
    expect(page.status).toBe(200);
    expect(offered(page, 'user')).toContain(source.credentials.users.bob.user_id);
    const back = await consent(app, url, { user: source.credentials.users.bob.user_id });
    expect(back.searchParams.get('state')).toBe(source.team_id);
    const redeemed = await send(
      app,
      'POST',
      `/api/oauth.v2.access?code=${back.searchParams.get('code')}&client_id=${clientId}&client_secret=${secret}` +
        `&redirect_uri=${encodeURIComponent('https://app.example/back')}`,
      {},
    );
    expect(redeemed.body).toMatchObject({
      ok: true,
      app_id: appId,
      team: { id: source.team_id },
      authed_user: { id: source.credentials.users.bob.user_id },
    });
  });
});

describe("a vendor's name", () => {
  it('leads to no route of the control plane, whose path is asked for under it', async () => {
    const { forks } = await forksOf(DOCUMENT, 1);
    const control = bearer(forks[0].credentials.control_token);
    for (const host of ['slack.com', 'api.linear.app', 'hooks.slack.com', `${forks[0].url_key}.slack.com`]) {
      for (const path of ['/api/sandboxes/self', '/api/sandboxes/self/timeline', '/api/pools', '/api/act/message']) {
        expect([host, path, await asHost(host, path, control)]).toEqual([host, path, 404]);
      }
    }
    expect(await asHost('slack.com', '/api/auth.test', bearer(forks[0].credentials.user_token), 'POST')).toBe(200);
  });
});

const scriptOf = async (one: Made): Promise<string> => {
  const control = bearer(one.credentials.control_token);
  return JSON.stringify((await send(app, 'GET', '/api/sandboxes/self/script', control)).body);
};

describe('a script that loops', { timeout: 180_000 }, () => {
  it('ends after ten acts, and the call that set it off is answered', async () => {
    const where = { channel: '#ops' };
    const act = (name: string, text: string, said: string) => ({
      name,
      when: { for: 'message', where: { ...where, text: { $contains: said } } },
      times: null,
      as: 'bob',
      do: { message: { channel: '#ops', text } },
    });
    const { forks } = await forksOf({
      ...DOCUMENT,
      clock: { ...DOCUMENT.clock, tick_ms: 1_000 },
      script: [act('ping', 'pong', 'ping'), act('pong', 'ping', 'pong')],
    });
    const answers: string[] = [];
    for (const one of forks) {
      const { ops } = one.credentials.channels;
      await call(one, 'chat.postMessage', { channel: ops, text: 'ping' });
      const said = async (): Promise<Made[]> =>
        (await call(one, 'conversations.history', { channel: ops, limit: 100 })).messages;
      // a machine that is busy lets the caller go on before all of it is done
      await eventually(async () => (await said()).length >= 11, 'all acts', 60_000);
      await eventually(async () => (await scriptOf(one)).includes('chain_too_long'), 'the end of the chain', 60_000);
      answers.push(JSON.stringify((await said()).map(({ text, client_msg_id: id }) => ({ text, id }))));
    }
    // what scripts did is the same in each
    expect(answers[1]).toBe(answers[0]);
    expect(JSON.parse(answers[0] as string)).toHaveLength(11);
  });
});
