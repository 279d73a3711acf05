import { describe, expect, it } from 'vitest';
import { useApp } from '../../support/app.js';
import { rest } from '../../support/rest-client.js';
import { connect, closeSockets, socketApp } from '../../support/socket-app.js';

describe('commands over Socket Mode', () => {
  const app = useApp();
  closeSockets();
  const features = { slash_commands: [{ command: '/deploy' }] };

  it('are answered by the ack, on any connection', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws, { features });
    const one = await connect(app, made['app_token']);
    const person = await ws.jwtClient({ user: ws.admin });
    const run = rest(app, 'POST /commands/execute', {
      token: person.token,
      body: { command: '/deploy', text: 'prod', channel_id: ws.general.id },
    });
    await one.until(() => one.of('slash_commands').length === 1);
    const [envelope] = one.of('slash_commands');
    expect(envelope).toMatchObject({
      envelope_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      accepts_response_payload: true,
      payload: { command: '/deploy', text: 'prod', api_app_id: made['app_id'], team_id: ws.id },
    });
    const two = await connect(app, made['app_token']);
    two.ack(envelope as object, 'on it');
    const { status, body } = await run;
    expect(status).toBe(200);
    expect(body).toMatchObject({ transport: 'socket', status_code: 200, response: { text: 'on it' } });
  });

  it('are 502 without a connection, and without an ack within 3 s', async () => {
    const ws = await app.workspace();
    const made = await socketApp(ws, { features });
    const person = await ws.jwtClient({ user: ws.admin });
    const run = (): Promise<{ status: number; body: any }> =>
      rest(app, 'POST /commands/execute', {
        token: person.token,
        body: { command: '/deploy', channel_id: ws.general.id },
      });
    expect(await run()).toMatchObject({ status: 502, body: { message: 'connection_failed' } });
    await connect(app, made['app_token']);
    expect(await run()).toMatchObject({ status: 502, body: { message: 'operation_timeout' } });
  });
});
