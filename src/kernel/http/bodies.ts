import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { SETTINGS_TOKEN, type Settings } from '../config/settings.js';
import { Metrics } from '../metrics/metrics.js';
import { BodyBudget, type BodyBytes } from './body-budget.js';
import { BodyPace } from './body-pace.js';
import { hasBody, type SentRequest } from './body-sender.js';
import { ClientAddresses } from './client-addresses.js';
import { HttpEdges, pathOf } from './edges.js';
import { RETRY_AFTER_SECONDS } from './error.filter.js';
import { HeaderCredentials } from './header-credentials.js';
import { RestError } from './http-error.js';
import { BODY_LIMIT, parseBody } from './parse-body.js';
import { refuseCall } from './pressure.js';

/** How much of a body is read while it is not known who sends it, in bytes. */
const FROM_STRANGERS = 64 * 1024;

type BudgetedRequest = SentRequest & { bodyBytes?: BodyBytes };

/**
 * Reads bodies, of callers whom the server knows: where the credential stands in a header, it is checked before anything
 * of the body is read, and without a good one the route, which refuses the call, sees none. Where it stands elsewhere, or
 * none is needed, 64 KiB are read before it is checked (docs/reference/limits.md#bodies).
 */
export function readBodies(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const [edges, credentials, addresses] = [app.get(HttpEdges), app.get(HeaderCredentials), app.get(ClientAddresses)];
  const budget = new BodyBudget(app.get<Settings>(SETTINGS_TOKEN).fileMaxBytes);
  const pace = new BodyPace();
  app.get(Metrics).gauge('understudy_body_bytes', 'Bytes of bodies of calls under way.', () => budget.bytes);

  fastify.addHook('onRequest', (request: BudgetedRequest, reply, done) => {
    // a request that the server makes to itself belongs to a caller who is known
    if (!(request.raw instanceof IncomingMessage)) {
      request.sender = 'known';
      return done();
    }
    if (!hasBody(request.raw)) return done();
    // `close` fires for every answer, even if the client went away
    reply.raw.once('close', () => request.bodyBytes?.release());
    const path = pathOf(request.url);
    const edge = edges.of(path, request.method);
    if (edge?.takesStrangers?.(request) ?? edges.takesStrangers(path)) {
      request.sender = 'stranger';
      return done();
    }
    const decide = (isGood: boolean): void => {
      request.sender = isGood ? 'known' : 'refused';
      done();
    };
    const good = credentials.areGood(request.headers);
    if (typeof good === 'boolean') return decide(good);
    good.then(decide, () => refuseCall(edges, request, reply, RETRY_AFTER_SECONDS));
  });

  /** @throws what the request is refused with: its sender is still unknown after so much of the body */
  const requireKnown = async (request: FastifyRequest, start: Buffer): Promise<void> => {
    if (await credentials.areGood(request.headers)) return;
    const edge = edges.of(pathOf(request.url), request.method);
    if (!edge?.requireCredential) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    await edge.requireCredential(request, start);
  };

  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: BudgetedRequest, payload: Readable) => {
    const limit = request.routeOptions.bodyLimit ?? BODY_LIMIT;
    const declared = Number(request.headers['content-length']);
    // known without reading it
    if (declared > limit) throw new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE();
    if (request.sender === 'refused') return undefined;
    const bytes = (request.bodyBytes = budget.begin(addresses.of(request.raw)));
    const body = await collect(payload, bytes, {
      limit,
      declared,
      requireKnown: request.sender === 'known' ? undefined : (start) => requireKnown(request, start),
      pace,
    });
    return parseBody(request, body, edges);
  });

  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    if (raw instanceof IncomingMessage && hasBody(raw) && !raw.complete) readToEnd(raw, reply, pace);
    done();
  });
}

/**
 * The answer is there before the body is. A connection that was closed now would be reset under who still sends, and a
 * proxy, which sends all of it first, would see no answer: it is closed when the body has ended, if it is to be closed.
 */
function readToEnd(body: IncomingMessage, reply: FastifyReply, pace: BodyPace): void {
  // as the client asks, or as the server drains
  const isLast = !reply.raw.shouldKeepAlive || reply.raw.getHeader('connection') === 'close';
  void reply.header('connection', 'keep-alive');
  pace.drop(body);
  if (!isLast) return;
  body.once('end', () => {
    if (reply.raw.writableFinished) body.socket.end();
    else reply.raw.once('finish', () => body.socket.end());
  });
}

interface Bounds {
  readonly limit: number;
  /** NaN: not declared. */
  readonly declared: number;
  /** Undefined: the sender is known. */
  readonly requireKnown: ((start: Buffer) => Promise<void>) | undefined;
  readonly pace: BodyPace;
}

/** The whole body. @throws what the request is refused with; what still comes of it is dropped with the answer */
function collect(
  payload: Readable,
  bytes: BodyBytes,
  { limit, declared, requireKnown, pace }: Bounds,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    let isKnown = requireKnown === undefined;
    const stop = (): void => {
      payload.off('data', onData).off('end', onEnd).off('error', onError);
    };
    const fail = (error: Error): void => {
      stop();
      chunks.length = 0;
      bytes.release();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      received += chunk.length;
      if (received > limit) return fail(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
      if (!bytes.add(chunk.length)) return fail(new RestError(503, 'service_unavailable', 1));
      chunks.push(chunk);
      if (isKnown || received <= FROM_STRANGERS) return;
      isKnown = true;
      payload.pause();
      (requireKnown as NonNullable<typeof requireKnown>)(Buffer.concat(chunks)).then(() => payload.resume(), fail);
    };
    // the client has gone, or sends no HTTP: that is no fault of the server
    const onError = (error: Error): void => fail(Object.assign(error, { statusCode: 400 }));
    const onEnd = (): void => {
      stop();
      if (!Number.isNaN(declared) && received !== declared)
        return reject(new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH());
      resolve(Buffer.concat(chunks, received));
    };
    payload.on('data', onData).on('end', onEnd).on('error', onError);
    // the last listener, so that it sees a body that waits until its sender is known
    pace.follow(payload);
  });
}
