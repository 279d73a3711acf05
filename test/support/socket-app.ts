import { afterEach } from 'vitest';
import { WebSocket } from 'ws';
import { DEFAULT_BOT_SCOPES } from '../../src/messaging/provisioning/default-scopes.js';
import type { TestApp } from './app.js';
import { eventually } from './receiver.js';
import { rest } from './rest-client.js';
import type { WorkspaceBuilder } from './workspace.js';

type Json = Record<string, any>; // eslint-disable-line typescript/no-explicit-any

const open: WebSocket[] = [];

/** A Socket Mode client that only does what a test tells it to. */
export class RawSocket {
  readonly received: Json[] = [];
  closeCode: number | undefined;

  constructor(readonly socket: WebSocket) {
    open.push(socket);
    socket.on('message', (data) => this.received.push(JSON.parse((data as Buffer).toString('utf8')) as Json));
    socket.on('close', (code) => (this.closeCode = code));
    socket.on('error', () => undefined);
  }

  async until(what: (received: Json[]) => boolean): Promise<Json[]> {
    await eventually(() => what(this.received), `a message that is wanted among ${JSON.stringify(this.received)}`);
    return this.received;
  }

  async hello(): Promise<Json> {
    await this.until(([first]) => first !== undefined);
    return this.received[0] as Json;
  }

  /** The received messages of this type. */
  of(type: string): Json[] {
    return this.received.filter((message) => message['type'] === type);
  }

  ack(envelope: Json, payload?: unknown): void {
    this.socket.send(
      JSON.stringify({ envelope_id: envelope['envelope_id'], ...(payload !== undefined && { payload }) }),
    );
  }

  async closed(): Promise<number> {
    await eventually(() => this.closeCode !== undefined, 'a closed socket');
    return this.closeCode as number;
  }
}

export function closeSockets(): void {
  afterEach(() => {
    for (const socket of open.splice(0)) socket.terminate();
  });
}

export const openUrl = async (app: { baseUrl: string }, token: string): Promise<Json> => {
  const response = await fetch(`${app.baseUrl}/api/apps.connections.open`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  return (await response.json()) as Json;
};

/** The HTTP status with which an upgrade is refused. */
export const refusedWith = (url: string): Promise<number | undefined> => {
  const socket = new WebSocket(url);
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode)));
};

export async function connect(app: TestApp, token: string, query = ''): Promise<RawSocket> {
  const { url } = await openUrl(app, token);
  const one = new RawSocket(new WebSocket(`${url as string}${query}`));
  await one.hello();
  return one;
}

/** Creates an app from a manifest, with Socket Mode on by default. */
export async function socketApp(
  ws: WorkspaceBuilder,
  manifest: { settings?: object; features?: object; events?: string[] } = {},
): Promise<Json> {
  const admin = await ws.jwtClient({ user: ws.admin });
  const { body, status } = await rest(ws.app, 'POST /apps', {
    token: admin.token,
    body: {
      manifest: {
        display_information: { name: 'socket app' },
        oauth_config: { scopes: { bot: [...DEFAULT_BOT_SCOPES] } },
        features: manifest.features,
        settings: {
          socket_mode_enabled: true,
          event_subscriptions: { bot_events: manifest.events ?? ['message'] },
          ...manifest.settings,
        },
      },
    },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body as Json;
}
