import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reservedPort } from '../support/ports.js';
import { Reader } from '../support/reader.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';
import { ensureBuilt, ServerProcess } from '../support/server-process.js';

interface Acted {
  deliveries: { app_id: string; kind: string; transport: string; outcome: string }[];
  replies: { messages: { text: string }[]; ephemeral: { text: string }[] };
}

/** docs/APPS.md from beginning to end: each step depends on the earlier ones. */
describe('docs/APPS.md', { timeout: 120_000 }, () => {
  const folder = scratchFolder();
  let server: ServerProcess;
  let reader: Reader;
  const acted = (key: string): Acted => JSON.parse(reader.run(key)) as Acted;
  const kept = (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(folder, name), 'utf8')) as Record<string, unknown>;

  beforeAll(async () => {
    ensureBuilt();
    server = await ServerProcess.start({ SVC_DATA_DIR: join(folder, '.understudy') });
    const port = String(await reservedPort());
    const [installer, tracker] = [String(await reservedPort()), String(await reservedPort())];
    const { host } = new URL(server.baseUrl);
    reader = new Reader(folder, {
      '127.0.0.1:3000': host,
      '127.0.0.1:4000': `127.0.0.1:${port}`,
      'start(4000)': `start(${port})`,
      'localhost:5000': `localhost:${installer}`,
      'port: 5000': `port: ${installer}`,
      'localhost:5001': `localhost:${tracker}`,
      'listen(5001': `listen(${tracker}`,
    });
    reader.run('docs/APPS.md#what-comes-to-your-app/1');
  }, 300_000);

  afterAll(async () => {
    await reader.stop();
    await server.kill('SIGTERM');
  });

  it('runs a bot that answers over a socket', async () => {
    const bot = reader.start('docs/APPS.md#over-a-socket/1');
    await eventually(() => bot.stdout.includes('connected'), `a connection: ${bot.stderr}`);
    const answer = acted('docs/APPS.md#over-a-socket/2');
    expect(answer.deliveries).toMatchObject([{ kind: 'message', transport: 'socket', outcome: 'acked' }]);
    expect(answer.replies.messages[0]?.text).toMatch(/^pong, <@U/);
    await bot.kill('SIGKILL');
  });

  it('installs an app by its manifest, runs it, and sends it events, a slash command and a click', async () => {
    reader.run('docs/APPS.md#installing-an-app-by-its-manifest/1');
    expect(kept('app.json')).toMatchObject({ name: 'Deployer', bot_token: expect.stringMatching(/^xoxb-/) });
    expect(kept('app.json')).not.toHaveProperty('warnings');
    reader.run('docs/APPS.md#installing-an-app-by-its-manifest/2');
    const app = reader.start('docs/APPS.md#events-slash-commands-and-buttons-over-http/1');
    await eventually(() => app.stdout.includes('listening'), `an app: ${app.stderr}`);

    const answer = acted('docs/APPS.md#events-slash-commands-and-buttons-over-http/2');
    expect(answer.replies.messages).toMatchObject([{ text: 'all is well' }]);
    reader.run('docs/APPS.md#events-slash-commands-and-buttons-over-http/3');
    expect(kept('command.json')).toMatchObject({ replies: { messages: [{ text: 'Deploy api?' }] } });
    const clicked = acted('docs/APPS.md#events-slash-commands-and-buttons-over-http/4');
    expect(clicked.replies.ephemeral[0]?.text).toMatch(/^approved by <@U/);
    const { deliveries } = acted('docs/APPS.md#events-slash-commands-and-buttons-over-http/5');
    const kinds = deliveries.map(({ kind, outcome }) => `${kind} ${outcome}`);
    expect(kinds[0]).toBe('block_actions acked');
    expect(kinds).toContain('slash_command acked');
    expect(kinds.at(-1)).toBe('message acked');
  });

  it('installs an app that keeps its installations, and authorizes an application of the tracker', async () => {
    const app = reader.start('docs/APPS.md#install-your-app/1');
    await eventually(() => app.stdout.includes('ready to be installed'), `an installer: ${app.stderr}`);
    expect(reader.run('docs/APPS.md#install-your-app/2')).toMatch(/^installed: /);
    const answer = acted('docs/APPS.md#install-your-app/3');
    expect(answer.replies.messages.map(({ text }) => text)).toContainEqual(expect.stringMatching(/^<@U\w+> did$/));
    const tracker = reader.start('docs/APPS.md#an-application-of-the-tracker/1');
    await eventually(() => tracker.stdout.includes('listening'), `an application: ${tracker.stderr}`);
    reader.run('docs/APPS.md#an-application-of-the-tracker/2');
    expect(kept('installed.json')).toMatchObject({
      installed: true,
      response: { status: 200, body: expect.stringMatching(/^authorized by \w+/) },
    });
  });

  it('posts through an incoming webhook', () => {
    expect(reader.run('docs/APPS.md#incoming-webhooks/1')).toBe('ok');
  });

  it('reads the OpenAPI document of every route', () => {
    reader.run('docs/APPS.md#every-route-to-try/1');
    expect(kept('openapi.json')).toHaveProperty('paths./api/webhooks/incoming');
  });

  it('deletes a sandbox, and a workspace, whose tokens then answer so', () => {
    expect(JSON.parse(reader.run('docs/APPS.md#when-it-is-over/1'))).toEqual({ success: true });
    const [deleted, asked] = reader.run('docs/APPS.md#when-it-is-over/2').split(/(?<=\})(?=\{)/);
    expect(JSON.parse(deleted as string)).toMatchObject({ success: true });
    expect(JSON.parse(asked as string)).toEqual({ ok: false, error: 'account_inactive' });
  });
});
