import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { AppModule } from './app.module.js';
import type { Settings } from './kernel/config/settings.js';
import type { Store } from './kernel/database/store.js';
import { admitCalls } from './kernel/http/admit-calls.js';
import { checkArrivals } from './kernel/http/arrival-checks.js';
import { readBodies } from './kernel/http/bodies.js';
import { followCalls } from './kernel/http/call-context.js';
import { HttpEdges } from './kernel/http/edges.js';
import { createAdapter } from './kernel/http/fastify.js';
import { answerInCallersIds } from './kernel/http/callers-ids.js';
import { followSteps } from './kernel/http/follow-steps.js';
import { sendInPieces } from './kernel/http/long-answers.js';
import { serveFrontPage } from './front-page.js';
import { listenOn } from './kernel/http/listeners.js';
import { serveOpenApi } from './kernel/http/openapi.js';
import { watchPressure } from './kernel/http/pressure.js';
import { PublicUrl } from './kernel/http/public-url.js';
import { serveVendorHosts } from './kernel/http/serve-vendor-hosts.js';
import type { Log } from './kernel/log/log.js';
import { OAUTH_ROUTES } from './oauth/oauth.module.js';
import { RealtimeAdapter } from './kernel/realtime/realtime.adapter.js';
import { requireWorkspaceOfHost, VENDOR_HOSTS } from './vendor-hosts.js';

/** Seeds and uploads. */
const LARGE_BODIES = [/^\/api\/sandboxes(?:\/[^/]+\/seed)?$/, /^\/upload\/v1\//];

/** Routes of callers who have no credential yet, or a browser's cookie. */
const FOR_STRANGERS = /^\/api\/(?:auth|ui\/session)\/[a-z]+$/;

/** Waits and streams of sandboxes, and installations, which wait for apps. */
const WAITING = /^\/api\/sandboxes\/[^/]+\/(?:wait|install|timeline\/stream)$/;

/** Seeds, resets, copies and whatever else works on a whole tenant. */
const LONG_WORK = /^\/api\/(?:sandboxes|admin|workspaces|organization)(?:\/|$)/;

/** Builds the application; nothing listens yet. */
export async function createApp(settings: Settings, store: Store, log: Log): Promise<NestFastifyApplication> {
  const edges = new HttpEdges();
  for (const paths of LARGE_BODIES) edges.addLargeBodies(paths);
  edges.addWaiting(WAITING);
  edges.addLongWork(LONG_WORK);
  edges.addForStrangers(FOR_STRANGERS);
  for (const host of VENDOR_HOSTS) edges.vendorHosts.add(host);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(settings, store, log, edges),
    createAdapter(settings, edges),
    { bodyParser: false, logger: log, abortOnError: false },
  );
  app.setGlobalPrefix('api', { exclude: OAUTH_ROUTES });
  app.useWebSocketAdapter(new RealtimeAdapter(app));
  checkArrivals(app);
  requireWorkspaceOfHost(app);
  watchPressure(app);
  readBodies(app);
  followCalls(app);
  admitCalls(app);
  return app;
}

/** Listens as the settings say and answers the port, which `PORT=0` leaves open. @param uiFolder where the built web UI is */
export async function listen(app: NestFastifyApplication, settings: Settings, uiFolder?: string): Promise<number> {
  serveOpenApi(app);
  if (settings.mode === 'full') {
    const { serveUi } = await import('./ui/serve-ui.js');
    serveUi(app, settings, uiFolder);
  }
  serveFrontPage(app, settings);
  await app.init();
  serveVendorHosts(app);
  followSteps(app);
  answerInCallersIds(app);
  sendInPieces(app);
  // Nest's own listen writes a log entry about an error that it throws as well
  const fastify = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  const port = await listenOn(fastify, settings);
  app.get(PublicUrl).listening(port);
  return port;
}
