import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import { bearer, makeSandbox, OPERATOR, send } from '../support/sandbox-routes.js';

// docs/reference/sandboxes.md#fixed-names
describe('Fixed ids and tokens in documents', () => {
  const app = useApp();
  const id = (prefix: string): string =>
    `${prefix}0${crypto.randomUUID().replaceAll('-', '').slice(0, 9).toUpperCase()}`;
  const documentOf = () => {
    const [userId, channelId, appId] = [id('U'), id('C'), id('A')];
    return {
      users: [{ name: 'alice', id: userId, api_key: `svc_api_${crypto.randomUUID()}` }],
      channels: [{ name: 'ops', id: channelId, members: ['fixed'] }],
      apps: [{ name: 'fixed', id: appId, scopes: { bot: ['chat:write'] }, bot_token: `xoxb-${crypto.randomUUID()}` }],
      tracker: {
        teams: [{ key: 'FIX', id: crypto.randomUUID(), issues: [{ title: 'One', id: crypto.randomUUID() }] }],
      },
    };
  };

  it('are free again as soon as their sandbox is deleted, and then belong to the new one alone', async () => {
    const document = documentOf();
    const first = await makeSandbox(app, document);
    expect((await send(app, 'POST', '/api/sandboxes', OPERATOR, document)).body).toMatchObject({
      statusCode: 409,
      message: 'id_taken',
      path: 'users[0].id',
    });
    const old = bearer(first.body.credentials.users.alice.access_token);
    expect((await send(app, 'DELETE', '/api/sandboxes/self', first.ctl)).status).toBe(200);
    const second = await makeSandbox(app, document);
    expect(second.body.credentials.channels.ops).toBe(document.channels[0]?.id);
    const bot = bearer(document.apps[0]?.bot_token as string);
    const posted = await send(app, 'POST', '/api/chat.postMessage', bot, { channel: 'ops', text: 'mine now' });
    expect(posted.body).toMatchObject({ ok: true, message: { team: second.body.team_id } });
    const key = { authorization: document.users[0]?.api_key as string };
    const viewer = await send(app, 'POST', '/graphql', key, { query: '{ issue(id: "FIX-1") { id } }' });
    expect(viewer.body.data.issue.id).toBe(document.tracker.teams[0]?.issues[0]?.id);
    // a session of the previous user with this id is not a session of the new user
    expect((await send(app, 'POST', '/api/auth.test', old)).body.ok).toBe(false);
  });

  it('allow one of two concurrent documents, and create nothing of the other', async () => {
    const document = documentOf();
    const count = async (): Promise<number> =>
      (
        await app.store.dataSource.query('SELECT count(*)::int AS count FROM users WHERE id = $1', [
          document.users[0]?.id,
        ])
      )[0].count;
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send(app, 'POST', '/api/sandboxes', OPERATOR, document)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    for (const { status, body } of answers) {
      if (status === 409) expect(body).toMatchObject({ message: 'id_taken', path: 'users[0].id' });
    }
    expect(await count()).toBe(1);
  });

  it('are refused with their path when they are taken', async () => {
    const domain = `d${crypto.randomUUID().slice(0, 8)}`;
    await makeSandbox(app, { team: { name: 'x', domain }, users: [{ name: 'a', email: `a@${domain}.test` }] });
    const refused = async (document: object): Promise<object> => {
      const { status, body } = await send(app, 'POST', '/api/sandboxes', OPERATOR, document);
      return { status, message: body.message, path: body.path };
    };
    expect(await refused({ team: { name: 'y', domain } })).toEqual({
      status: 409,
      message: 'domain_taken',
      path: 'team.domain',
    });
    expect(await refused({ users: [{ name: 'z' }, { name: 'b', email: `A@${domain}.test` }] })).toEqual({
      status: 409,
      message: 'email_taken',
      path: 'users[1].email',
    });
    const command = { command: '/go', url: 'http://127.0.0.1:9/' };
    expect(
      await refused({
        apps: [
          { name: 'a', commands: [command] },
          { name: 'b', commands: [command] },
        ],
      }),
    ).toEqual({
      status: 409,
      message: 'command_taken',
      path: 'apps[1].commands[0].command',
    });
    expect((await refused({ users: [{ name: 'a' }, { name: 'a' }] })) as { status: number }).toMatchObject({
      status: 400,
    });
  });

  it('are refused with a wrong prefix; timestamps must ascend and parents must not form a cycle', async () => {
    const made = await makeSandbox(app, { channels: [{ name: 'ops' }] });
    const other = await send(app, 'POST', '/api/sandboxes/self/seed', made.ctl, {
      channels: [{ name: 'ops', id: id('C') }],
    });
    expect(other.status).toBe(400);
    expect(other.body.message[0]).toMatch(/^channels\[0\]\.id: must be C0/);
    const ts = ['1767225600.000200', '1767225600.000100'];
    const messages = ts.map((one) => ({ as: 'admin', text: 'x', ts: one }));
    const back = await send(app, 'POST', '/api/sandboxes', OPERATOR, { channels: [{ name: 'ops', messages }] });
    expect(back.body.message).toEqual(['channels[0].messages[1].ts: must be later than that of the message before']);
    const parents = [
      { title: 'a', ref: 'a', parent: 'b' },
      { title: 'b', ref: 'b', parent: 'a' },
    ];
    const circle = await send(app, 'POST', '/api/sandboxes', OPERATOR, {
      tracker: { teams: [{ key: 'ENG', issues: parents }] },
    });
    expect(circle.status).toBe(400);
    expect(circle.body.message).toContain('tracker.teams[0].issues[0].parent: must not be an issue below it');
  });
});
