import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';
import { Db } from '../../kernel/database/db.js';
import { restErrorBody } from '../../kernel/http/http-error.js';
import { Lifecycle } from '../../kernel/http/lifecycle.js';
import { refuseUpgrade } from '../../kernel/http/refuse-upgrade.js';
import { NOT_ON_HOST } from '../../kernel/http/vendor-hosts.js';
import { idSpaceOf } from '../../kernel/ids/id-space.js';
import { sha256Hex } from '../../kernel/ids/ids.js';
import { Connections } from './connections.js';
import { REDEEM_TICKET, type Ticket } from './sockets.queries.js';

const MAX_FRAME_BYTES = 512 * 1024;
const PATH = /^\/link\/?$/;

/** `GET /link/?ticket=…`: where clients of Socket Mode connect, beside everything else on the same port. */
@Injectable()
export class LinkEndpoint implements OnModuleInit, OnApplicationBootstrap {
  private readonly log = new Logger('Sockets');
  // clients read one frame a message, neither compressed nor continued
  private readonly server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: () => false,
  });

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly db: Db,
    private readonly connections: Connections,
    private readonly lifecycle: Lifecycle,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance() as unknown as FastifyInstance;
    for (const path of ['/link', '/link/']) {
      fastify.get(path, async (_, reply) => reply.code(426).send(restErrorBody(426, 'upgrade_required')));
    }
  }

  onApplicationBootstrap(): void {
    const http = this.host.httpAdapter.getHttpServer() as Server;
    http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const url = URL.parse(request.url ?? '/', 'http://link');
      if (url && PATH.test(url.pathname)) void this.upgrade(request, socket, head, url.searchParams);
      else if (!url?.pathname.startsWith('/socket.io') && url?.pathname !== NOT_ON_HOST) socket.destroy();
    });
  }

  private async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, query: URLSearchParams): Promise<void> {
    socket.on('error', () => socket.destroy());
    if (this.lifecycle.draining) return refuseUpgrade(socket, 503, 'service_unavailable');
    let ticket: Ticket | undefined;
    try {
      const secret = query.get('ticket') ?? '';
      [ticket] = await this.db.run<Ticket>(REDEEM_TICKET, [sha256Hex(secret), query.get('app_id') || null]);
    } catch (error) {
      this.log.debug(`a ticket cannot be looked up: ${(error as Error).message}`);
      return refuseUpgrade(socket, 503, 'service_unavailable');
    }
    const named = query.get('app_id') || null;
    const ids = idSpaceOf(ticket?.idKey ?? null);
    if (ids && named !== null && ids.inside(named) !== ticket?.appId) ticket = undefined;
    if (!ticket) return refuseUpgrade(socket, 403, 'invalid_ticket');
    const found = ticket;
    const isShort = query.get('debug_reconnects') === 'true';
    this.server.handleUpgrade(request, socket, head, (client) => void this.connections.open(found, client, isShort));
  }
}
