import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { io, type Socket } from 'socket.io-client';
import { WebSocket } from 'ws';
import type { Delivery, SocketLog } from './history.js';
import type { Random } from './random.js';
import type { Tenant } from './caller.js';

/** The URL of an app in each tenant: it takes most events, and refuses some. */
export class AppUrls {
  readonly deliveries: Delivery[] = [];
  private readonly server = createServer((request, reply) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const tenant = (request.url ?? '').slice(1);
      const { challenge, event, event_id: eventId } = JSON.parse(Buffer.concat(chunks).toString()) as Body;
      if (challenge !== undefined) return void reply.end(challenge);
      const isRefused = this.random.next() < 0.03;
      if (event?.type === 'message' && event.subtype === undefined) {
        const { channel, ts, text } = event;
        const at = this.now();
        const taken = { tenant, target: tenant, eventId, channel, ts, text, at };
        this.deliveries.push(taken);
        // it counts as accepted when the whole answer has gone out
        if (!isRefused) reply.on('finish', () => Object.assign(taken, { acceptedAt: this.now() }));
      }
      reply.writeHead(isRefused ? 500 : 200).end();
    });
  });

  constructor(
    private readonly random: Random,
    private readonly now: () => number,
  ) {}

  async start(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- payloads are read freely
type Body = any;

/** A socket of a tenant that connects again, to any replica, whenever it was cut: a log for each connection. */
export class Ear {
  readonly logs: (SocketLog & { closedAt: number; heard: SocketLog['heard'][number][] })[] = [];
  private socket: Socket | undefined;
  private isOver = false;

  constructor(
    private readonly tenant: Tenant,
    private readonly replica: () => string | undefined,
    private readonly now: () => number,
  ) {}

  listen(): void {
    const url = this.replica();
    if (this.isOver) return;
    if (url === undefined) return void setTimeout(() => this.listen(), 100).unref();
    const { tenant } = this;
    const auth = { token: tenant.clients[0]?.token };
    const socket = io(url, { auth, forceNew: true, reconnection: false, transports: ['websocket'], timeout: 5_000 });
    this.socket = socket;
    const again = (): void => {
      socket.disconnect();
      if (!this.isOver) setTimeout(() => this.listen(), 100).unref();
    };
    socket.once('connect_error', again);
    socket.once('connect', () => {
      const id = `${tenant.tenant} socket ${this.logs.length}`;
      const log = {
        id,
        tenant: tenant.tenant,
        openedAt: this.now(),
        closedAt: Infinity,
        heard: [] as SocketLog['heard'][number][],
      };
      this.logs.push(log);
      socket.on('message', ({ channel, ts, text, subtype }: Body) => {
        if (subtype === undefined && tenant.channels.includes(channel))
          log.heard.push({ channel, ts, text, at: this.now() });
      });
      socket.once('disconnect', () => {
        log.closedAt = this.now();
        again();
      });
    });
  }

  stop(): void {
    this.isOver = true;
    this.socket?.disconnect();
  }
}

/** An app in Socket Mode that connects again, to any replica, whenever it was cut; it acknowledges most envelopes. */
export class Plug {
  readonly deliveries: Delivery[] = [];
  private socket: WebSocket | undefined;
  private isOver = false;

  constructor(
    private readonly tenant: Tenant,
    private readonly replica: () => string | undefined,
    private readonly random: Random,
    private readonly now: () => number,
  ) {}

  connect(): void {
    if (this.isOver) return;
    this.open().catch(() => setTimeout(() => this.connect(), 100).unref());
  }

  stop(): void {
    this.isOver = true;
    this.socket?.terminate();
  }

  private async open(): Promise<void> {
    const answer = await fetch(`${this.replica()}/api/apps.connections.open`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.tenant.appToken}` },
      signal: AbortSignal.timeout(10_000),
    });
    const { url } = (await answer.json()) as Body;
    const socket = new WebSocket(url, { handshakeTimeout: 5_000 });
    this.socket = socket;
    // of what was acknowledged, in the order of the pings that followed
    const unconfirmed: Delivery[] = [];
    socket.on('error', () => undefined);
    socket.on('pong', () => {
      const confirmed = unconfirmed.shift();
      if (confirmed) Object.assign(confirmed, { acceptedAt: this.now() });
    });
    socket.on('message', (frame: Buffer) => {
      const { type, envelope_id, payload } = JSON.parse(frame.toString()) as Body;
      if (type === 'disconnect') return socket.close();
      if (type !== 'events_api') return;
      const isLeft = this.random.next() < 0.03;
      const { event, event_id: eventId } = payload;
      if (!isLeft) socket.send(JSON.stringify({ envelope_id }));
      if (event.type !== 'message' || event.subtype !== undefined) return;
      const { channel, ts, text } = event;
      const { tenant } = this.tenant;
      const taken = { tenant, target: `${tenant} sockets`, eventId, channel, ts, text, at: this.now() };
      this.deliveries.push(taken);
      if (isLeft) return;
      // it counts as accepted when the server has read further than the acknowledgement
      unconfirmed.push(taken);
      socket.ping();
    });
    socket.once('close', () => {
      if (!this.isOver) setTimeout(() => this.connect(), 100).unref();
    });
  }
}
