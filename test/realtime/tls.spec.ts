import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestApp } from '../support/app.js';
import { certificateIn } from '../support/certificate.js';
import { Listener } from '../support/listener.js';
import { eventually } from '../support/receiver.js';
import { scratchFolder } from '../support/scratch.js';

describe('sockets over TLS', () => {
  const folder = scratchFolder();
  let app: TestApp;
  let ca: string;
  let secure: { baseUrl: string };

  beforeAll(async () => {
    const { cert, key } = certificateIn(folder);
    ca = readFileSync(cert, 'utf8');
    app = await TestApp.start({ SVC_TLS_CERT_FILE: cert, SVC_TLS_KEY_FILE: key });
    secure = { baseUrl: app.baseUrl.replace(/^http:/, 'https:') };
  });
  afterAll(() => app.stop());

  it.each([['websocket'], ['polling'], ['polling, then websocket']])('receive events by %s', async (said) => {
    const transports = said.split(', then ');
    const ws = await app.workspace();
    const bot = await ws.bot();
    const listener = await Listener.connect(secure, { token: bot.token }, { transports, ca });
    const last = transports.at(-1);
    await eventually(() => listener.socket.io.engine.transport.name === last, `the transport ${last}`);
    await ws.message({ channel: ws.general, text: 'in secret' });
    await eventually(() => listener.names.includes('message'), 'a message');
    expect(listener.heard.find(({ name }) => name === 'message')?.data).toMatchObject({ text: 'in secret' });
  });

  it.each(['websocket', 'polling'])(
    'are refused over %s by a client that does not trust the certificate',
    async (name) => {
      const { token } = await (await app.workspace()).bot();
      await expect(Listener.connect(secure, { token }, { transports: [name] })).rejects.toThrow(/websocket|poll/);
    },
  );

  it('are not served without TLS', async () => {
    const { token } = await (await app.workspace()).bot();
    await expect(Listener.connect(app, { token })).rejects.toThrow('websocket error');
  });
});
