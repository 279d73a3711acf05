import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AppMessages } from '../../../src/messaging/rest/app-messages.js';
import { useApp } from '../../support/app.js';
import { closeReceivers, receiver } from '../../support/receiver.js';
import { refusal, rest } from '../../support/rest-client.js';
import type { ChatClient } from '../../support/chat-client.js';

describe('slash commands and response URLs', () => {
  const app = useApp();
  closeReceivers();
  const make = (client: ChatClient, body: object) => rest(app, 'POST /commands', { token: client.token, body });
  const execute = (client: ChatClient, body: object) =>
    rest(app, 'POST /commands/execute', { token: client.token, body });
  const respond = async (url: string, body: unknown) => {
    const answer = await fetch(url, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    return { status: answer.status, text: await answer.text() };
  };

  it('are unique per workspace, listed, and removed by their app or an admin', async () => {
    const ws = await app.workspace();
    const [bot, person] = [await ws.bot(), await ws.jwtClient()];
    const made = await make(bot, { command: '/deploy', request_url: 'http://127.0.0.1:1/' });
    expect([made.status, made.body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^Sc0/),
        command: '/deploy',
        url: 'http://127.0.0.1:1/',
        description: '',
        usage_hint: '',
        app_id: bot.appId,
        team_id: ws.id,
        creator: bot.userId,
        created: expect.any(Number),
      },
    ]);
    expect((await make(await ws.bot(), { command: 'deploy', url: 'http://127.0.0.1:1/' })).body).toEqual(
      refusal(409, 'command_taken'),
    );
    expect((await make(await ws.bot({ scopes: [] }), { command: 'x', url: 'http://x/' })).body).toEqual(
      refusal(403, 'missing_scope'),
    );
    for (const body of [
      {},
      { command: '/Deploy', url: 'http://x/' },
      { command: '/', url: 'http://x/' },
      { command: 'x', url: 'x' },
      { command: 'x', url: 'http://x/', description: 'x'.repeat(2001) },
    ]) {
      expect((await make(bot, body)).status, JSON.stringify(body)).toBe(400);
    }
    expect((await rest(app, 'GET /commands', { token: person.token })).body).toEqual({
      commands: [made.body],
      next_cursor: '',
    });
    const remove = (client: ChatClient) => rest(app, `DELETE /commands/${made.body.id}`, { token: client.token });
    expect((await remove(person)).body).toEqual(refusal(403, 'not_admin'));
    expect((await remove(bot)).body).toEqual({ success: true });
    expect((await remove(bot)).body).toEqual(refusal(404, 'command_not_found'));
  });

  it('send the app the documented form, and turn its answer into a reply', async () => {
    const ws = await app.workspace();
    const [bot, person] = [await ws.bot(), await ws.jwtClient()];
    let answer = '';
    const far = await receiver((_, reply) => void reply.end(answer));
    const { body: command } = await make(bot, { command: '/deploy', url: far.url });
    const run = async (text: string) => {
      answer = text;
      return (await execute(person, { command: 'deploy', text: 'prod', channel_id: ws.general.id })).body;
    };

    expect(await run('')).toMatchObject({ command_id: command.id, status_code: 200, response: null, message_ts: null });
    const [sent] = far.received;
    expect(sent?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    const form = new URLSearchParams(sent?.body);
    expect([...form.keys()]).toEqual([
      'token',
      'team_id',
      'team_domain',
      'channel_id',
      'channel_name',
      'user_id',
      'user_name',
      'command',
      'text',
      'api_app_id',
      'is_enterprise_install',
      'response_url',
      'trigger_id',
    ]);
    expect(Object.fromEntries(form)).toMatchObject({
      command: '/deploy',
      text: 'prod',
      channel_name: 'general',
      user_id: person.userId,
      team_domain: ws.domain,
    });

    expect((await run('plain text')).response).toEqual({ response_type: 'ephemeral', text: 'plain text' });
    expect((await run('[1]')).response).toEqual({ response_type: 'ephemeral', text: '[1]' });
    expect((await run('{"text":"only you"}')).response).toEqual({ response_type: 'ephemeral', text: 'only you' });
    const said = await run('{"text":"all of you","response_type":"in_channel"}');
    const messages = (await ws.recorded('message')).filter((message) => message['is_ephemeral'] !== true);
    expect(messages).toMatchObject([{ text: 'all of you', ts: said.message_ts, user: bot.userId, bot_id: bot.botId }]);
    const whispers = (await ws.recorded('message')).filter((message) => message['is_ephemeral'] === true);
    expect(whispers.map((message) => message['text'])).toEqual(['plain text', '[1]', 'only you']);
  });

  it('answer 502 when the app sends more than 256 KiB', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    let size = 256 * 1024;
    const far = await receiver((_, reply) => void reply.end('{"text":"long"}'.padEnd(size)));
    await make(bot, { command: '/long', url: far.url });
    const play = () => execute(bot, { command: '/long', channel_id: ws.general.id });
    expect((await play()).body).toMatchObject({ status_code: 200, response: { text: 'long' } });
    size++;
    expect((await play()).body).toEqual(refusal(502, 'connection_failed'));
  });

  it('answer the documented 404, 409 and 502', async () => {
    const ws = await app.workspace();
    const [bot, person] = [await ws.bot(), await ws.jwtClient()];
    const far = await receiver((request, reply) => {
      if (request.path === '/bad') reply.writeHead(500).end();
      else if (request.path === '/redirect') reply.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    });
    const at = (path: string) => new URL(path, far.url).href;
    await make(bot, { command: 'bad', url: at('/bad') });
    await make(bot, { command: 'redirect', url: at('/redirect') });
    await make(bot, { command: 'hang', url: at('/hang') });
    await make(bot, { command: 'closed', url: 'http://127.0.0.1:1/' });
    await make(bot, { command: 'metadata', url: 'http://169.254.169.254/latest' });
    const run = async (command: string, channel = ws.general.id) => (await execute(person, { command, channel })).body;
    expect(await run('nothing')).toEqual(refusal(404, 'command_not_found'));
    expect(await run('bad', 'C0NOTHING00')).toEqual(refusal(404, 'channel_not_found'));
    const archived = await ws.channel();
    await ws.archive(archived);
    expect(await run('bad', archived.id)).toEqual(refusal(409, 'channel_is_archived'));
    expect(await run('bad')).toEqual(refusal(502, 'http_client_error'));
    expect(await run('redirect')).toEqual(refusal(502, 'http_client_error'));
    expect(await run('closed')).toEqual(refusal(502, 'connection_failed'));
    expect(await run('metadata')).toEqual(refusal(502, 'connection_failed'));
    expect(await run('hang')).toEqual(refusal(502, 'operation_timeout'));
    expect((await execute(person, {})).status).toBe(400);
  });

  it("post the app's immediate answer before what it sends to its response URL at the same moment", async () => {
    const ws = await app.workspace();
    const [bot, person] = [await ws.bot(), await ws.jwtClient()];
    // storing the immediate answer is slow here
    const messages = app.nest.get(AppMessages, { strict: false });
    const post = messages.post.bind(messages);
    const slowly = vi.spyOn(messages, 'post').mockImplementation(async (scene, by, message) => {
      if (message.text === 'first') await new Promise((later) => setTimeout(later, 100));
      return post(scene, by, message);
    });
    onTestFinished(() => slowly.mockRestore());
    const say = (text: string) => ({ response_type: 'in_channel', text });
    const responses: ReturnType<typeof respond>[] = [];
    const far = await receiver(({ body }, reply) => {
      const url = new URLSearchParams(body).get('response_url') as string;
      reply.setHeader('content-type', 'application/json').end(JSON.stringify(say('first')), () => {
        responses.push(respond(url, say('then')));
      });
    });
    await make(bot, { command: 'both', url: far.url });
    expect((await execute(person, { command: 'both', channel: ws.general.id })).status).toBe(200);
    expect((await responses[0])?.status).toBe(200);
    expect((await ws.recorded('message')).map(({ text }) => text)).toEqual(['first', 'then']);
  });

  it('accept five uses within 30 minutes, also concurrently; a refused body is not counted', async () => {
    const ws = await app.workspace();
    const [bot, person] = [await ws.bot(), await ws.jwtClient()];
    const far = await receiver();
    await make(bot, { command: 'x', url: far.url });
    const url = (await execute(person, { command: 'x', channel: ws.general.id })).body.response_url as string;
    expect(await respond(url, '{')).toEqual({ status: 400, text: '{"ok":false,"error":"invalid_payload"}' });
    expect(await respond(url, {})).toEqual({ status: 400, text: '{"ok":false,"error":"no_text"}' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => respond(url, { text: `answer ${i}`, response_type: 'in_channel' })),
    );
    expect(answers.filter((answer) => answer.status === 200 && answer.text === 'ok')).toHaveLength(5);
    expect(answers.filter((answer) => answer.text === '{"ok":false,"error":"used_url"}')).toHaveLength(3);
    expect(await ws.recorded('message')).toHaveLength(5);
    const late = (await execute(person, { command: 'x', channel: ws.general.id })).body.response_url as string;
    app.clock.advance(31 * 60_000);
    expect(await respond(late, { text: 'late' })).toEqual({ status: 404, text: '{"ok":false,"error":"expired_url"}' });
    expect((await respond(`${url}x`, { text: 'x' })).text).toBe('{"ok":false,"error":"expired_url"}');
  });
});
