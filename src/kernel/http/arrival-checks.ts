import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { SETTINGS_TOKEN, type Settings } from '../config/settings.js';
import { hasBody } from './body-sender.js';
import { ClientAddresses } from './client-addresses.js';
import { HttpEdges, pathOf } from './edges.js';
import { restErrorBody } from './http-error.js';
import { RequestOrigins } from './request-origins.js';
import { refuseOtherPaths } from './serve-vendor-hosts.js';

/** How long the head of a request, and then its body, may take to arrive, in milliseconds. */
export const HEAD_MS = 10_000;
const BODY_MS = 10_000;
/** The same for routes that take large bodies. */
const LARGE_BODY_MS = 120_000;
/** After an initial period, each period of this length must bring this many bytes of a body. */
const PACE_MS = 5_000;
const PACE_BYTES = 5_000;
const LOOK_EVERY_MS = 500;
/** So many late requests are cut before other work gets a turn, for this many milliseconds. */
const CUT_AT_ONCE = 25;
const CUT_PAUSE_MS = 20;

const LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
const TOO_MANY_CONNECTIONS =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** A request body that is still arriving. */
interface IncomingBody {
  readonly request: IncomingMessage;
  readonly since: number;
  readonly most: number;
  /** When its rate was last checked, and its byte count then. */
  paceAt: number;
  paceBytes: number;
}

/**
 * Checks of a request before it is handled: it comes from an allowed origin, arrives in time, and its address does not
 * hold too many connections.
 */
export function checkArrivals(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const origins = app.get(RequestOrigins);
  fastify.addHook('onRequest', (request, reply, done) => {
    const arrival = { path: pathOf(request.url), target: request.originalUrl, headers: request.headers };
    const refusal = origins.refusalOf(arrival);
    if (refusal !== undefined) return void reply.code(403).send(restErrorBody(403, refusal));
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    const cors = origins.corsHeaders(arrival, isPreflight);
    void reply.headers(cors);
    if (isPreflight && cors['Access-Control-Allow-Origin'] !== undefined) return void reply.code(204).send();
    done();
  });
  refuseOtherPaths(fastify);
  watchBodies(fastify, app.get(HttpEdges));
  limitConnections(
    fastify.server as Server,
    app.get(ClientAddresses),
    app.get<Settings>(SETTINGS_TOKEN).connectionsPerAddress,
  );
}

function watchBodies(fastify: FastifyInstance, edges: HttpEdges): void {
  const arriving = new Set<IncomingBody>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { raw } = request;
    if (hasBody(raw)) {
      const now = performance.now();
      const path = pathOf(request.url);
      const body: IncomingBody = {
        request: raw,
        since: now,
        most: edges.takesLargeBodies(path) ? LARGE_BODY_MS : BODY_MS,
        paceAt: now + PACE_MS,
        paceBytes: -1,
      };
      arriving.add(body);
      raw.once('end', () => arriving.delete(body));
      raw.once('close', () => arriving.delete(body));
    }
    done();
  });
  let cutting = false;
  const look = async (): Promise<void> => {
    const now = performance.now();
    const late = [...arriving].filter((body) => isLate(body, now));
    // each is an error response: thousands in one turn would delay everyone
    for (const [i, { request }] of late.entries()) {
      if (i > 0 && i % CUT_AT_ONCE === 0) await setTimeout(CUT_PAUSE_MS);
      cut(request.socket);
    }
  };
  const timer = setInterval(() => {
    if (cutting) return;
    cutting = true;
    void look().finally(() => (cutting = false));
  }, LOOK_EVERY_MS).unref();
  fastify.addHook('onClose', (_instance, done) => {
    clearInterval(timer);
    done();
  });
}

function isLate(body: IncomingBody, now: number): boolean {
  if (now - body.since > body.most) return true;
  if (now < body.paceAt) return false;
  const { bytesRead } = body.request.socket;
  const isSlow = body.paceBytes !== -1 && bytesRead - body.paceBytes < PACE_BYTES;
  body.paceAt = now + PACE_MS;
  body.paceBytes = bytesRead;
  return isSlow;
}

function cut(socket: Socket): void {
  if (!socket.destroyed && socket.writable) socket.end(LATE, () => socket.destroy());
  else socket.destroy();
}

/** Behind a trusted proxy all connections come from one address, so the proxy has to limit them. */
function limitConnections(server: Server, addresses: ClientAddresses, most: number): void {
  if (most === 0) return;
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || addresses.isTrustedProxy(remoteAddress)) return;
    const count = (open.get(remoteAddress) ?? 0) + 1;
    open.set(remoteAddress, count);
    socket.once('close', () => {
      const left = (open.get(remoteAddress) ?? 1) - 1;
      if (left > 0) open.set(remoteAddress, left);
      else open.delete(remoteAddress);
    });
    if (count > most) socket.end(TOO_MANY_CONNECTIONS, () => socket.destroy());
  });
}
