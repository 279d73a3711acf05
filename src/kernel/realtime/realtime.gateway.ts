import { Inject, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import {
  WebSocketGateway,
  type GatewayMetadata,
  type OnGatewayConnection,
  type OnGatewayDisconnect,
  type OnGatewayInit,
} from '@nestjs/websockets';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server, Socket } from 'socket.io';
import { withoutBearer } from '../http/bearer.js';
import { SETTINGS_TOKEN, type Settings } from '../config/settings.js';
import { refuseUpgrade } from '../http/refuse-upgrade.js';
import { RequestOrigins, type OriginRefusal } from '../http/request-origins.js';
import { isStoreUnavailable } from '../database/unavailable.js';
import { sha256Hex } from '../ids/ids.js';
import type { RealtimeSession } from './realtime-product.js';
import { Realtime, RealtimeRefusal } from './realtime.js';
import { SocketSeats } from './socket-seats.js';

/**
 * One Socket.IO server for all gateways: they share it by naming the same options (docs/reference/realtime.md#chat,
 * docs/reference/realtime.md#tracker).
 */
export const REALTIME: GatewayMetadata = {
  path: '/socket.io',
  serveClient: false,
  // clients send little: a token, a channel's id
  maxHttpBufferSize: 64 * 1024,
  // a transport that does not reveal itself
  connectTimeout: 10_000,
};

/** The most packets a socket may send within `WINDOW_MS`; a socket that sends more is disconnected. */
const MAX_PACKETS = 1_000;
const WINDOW_MS = 10_000;
/** How long clients get to close their side, in milliseconds. */
const CLOSING_MS = 500;

type Sessions = ReadonlyMap<string, RealtimeSession>;

/** Accepts sockets: the handshake, limits on what a client may send, and disconnection. */
@WebSocketGateway(REALTIME)
export class RealtimeGateway
  implements OnGatewayInit<Server>, OnGatewayConnection<Socket>, OnGatewayDisconnect<Socket>, BeforeApplicationShutdown
{
  private readonly log = new Logger('Realtime');
  private readonly upgraded = new Set<Duplex>();
  /** Answered before the engine sees them: it answers every refusal with the same 400. */
  private readonly refused = new WeakSet<IncomingMessage>();
  private io: Server | undefined;
  private isClosing = false;

  constructor(
    private readonly realtime: Realtime,
    private readonly host: HttpAdapterHost,
    private readonly origins: RequestOrigins,
    private readonly seats: SocketSeats,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  afterInit(io: Server): void {
    this.io = io;
    this.realtime.serve(io);
    io.use((socket, next) => {
      this.admit(socket).then(() => {
        next();
        // a client that has disconnected meanwhile never joins
        setImmediate(() => {
          if (!socket.connected) this.leaveSeat(socket);
        });
      }, next);
    });
    const { opts } = io.engine as unknown as { opts: Record<string, unknown> };
    opts['allowRequest'] = (request: IncomingMessage, answer: (error: string | null, allowed: boolean) => void) => {
      if (this.refused.has(request)) return;
      const refusal = this.refusalOf(request);
      answer(refusal ?? null, refusal === undefined && !this.isClosing);
    };
    const server = this.host.httpAdapter.getHttpServer() as HttpServer;
    server.prependListener('upgrade', (request: IncomingMessage, raw: Duplex) => {
      // other handlers of upgrades end their own
      if (!URL.parse(request.url ?? '', 'http://realtime')?.pathname.startsWith(io.path())) return;
      const refusal = this.refusalOf(request);
      if (refusal !== undefined) {
        this.refused.add(request);
        return refuseUpgrade(raw, 403, refusal);
      }
      this.upgraded.add(raw);
      raw.once('close', () => this.upgraded.delete(raw));
    });
  }

  private refusalOf({ url = '', headers }: IncomingMessage): OriginRefusal | undefined {
    return this.origins.refusalOf({ path: '/socket.io/', target: url, headers });
  }

  handleConnection(socket: Socket): void {
    limitPackets(socket);
    this.realtime.enter(socket, (socket.data as { sessions: Sessions }).sessions);
  }

  handleDisconnect(socket: Socket): void {
    this.leaveSeat(socket);
    this.realtime.leave((socket.data as { sessions: Sessions }).sessions);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.close();
  }

  /**
   * Closes all sockets and admits no more. Clients see a lost transport rather than a disconnect by the server, so they
   * reconnect, to another replica. A connection whose client does not close its side is cut.
   */
  async close(): Promise<void> {
    this.isClosing = true;
    this.io?.engine.close();
    const cutAt = performance.now() + CLOSING_MS;
    while (this.upgraded.size > 0 && performance.now() < cutAt) await new Promise((again) => setTimeout(again, 10));
    for (const raw of this.upgraded) raw.destroy();
  }

  /** @throws RealtimeRefusal too_many_sockets */
  private async takeSeat(socket: Socket): Promise<void> {
    const { token } = socket.handshake.auth as { token: string };
    const credential = sha256Hex(withoutBearer(token));
    if (!(await this.seats.take(credential, socket.id, this.settings.maxSockets))) {
      throw new RealtimeRefusal('too_many_sockets');
    }
    (socket.data as { credential?: string }).credential = credential;
  }

  private leaveSeat(socket: Socket): void {
    const { credential } = socket.data as { credential?: string };
    if (credential !== undefined) this.seats.leave(credential, socket.id);
  }

  private async admit(socket: Socket): Promise<void> {
    try {
      const sessions = await this.realtime.admit(socket.handshake.auth);
      await this.takeSeat(socket);
      (socket.data as { sessions: Sessions }).sessions = sessions;
    } catch (error) {
      if (error instanceof RealtimeRefusal) throw error;
      if (isStoreUnavailable(error)) throw new RealtimeRefusal('service_unavailable');
      this.log.error(`a handshake failed: ${(error as Error).message}`, (error as Error).stack);
      throw new RealtimeRefusal('internal_error');
    }
  }
}

/** Repeated queries must not overload the store. */
function limitPackets(socket: Socket): void {
  let packets = 0;
  let since = performance.now();
  socket.use((_packet, next) => {
    const now = performance.now();
    if (now - since > WINDOW_MS) [packets, since] = [0, now];
    if (++packets > MAX_PACKETS) socket.disconnect(true);
    else next();
  });
}
