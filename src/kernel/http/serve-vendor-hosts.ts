import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { HttpEdges, pathOf } from './edges.js';
import { restErrorBody } from './http-error.js';
import { refuseUpgrade } from './refuse-upgrade.js';
import { NOT_ON_HOST } from './vendor-hosts.js';

/**
 * Leads requests for vendors' hosts to the paths here, and answers 404 not_found_on_host to all others of them: a route
 * of the control plane is never met under a vendor's name. Call it when everything else listens to the server, as
 * Socket.IO takes its requests before Fastify does.
 */
export function serveVendorHosts(app: NestFastifyApplication): void {
  const { vendorHosts } = app.get(HttpEdges);
  const server = app.getHttpServer() as Server;
  const lead = (request: IncomingMessage): void => {
    const url = vendorHosts.inside(request);
    if (url !== undefined) request.url = url;
  };
  server.prependListener('request', lead);
  server.prependListener('upgrade', (request: IncomingMessage, socket: Duplex) => {
    lead(request);
    if (request.url === NOT_ON_HOST) refuseUpgrade(socket, 404, 'not_found_on_host');
  });
}

/** Answers what `serveVendorHosts` found no path for. */
export function refuseOtherPaths(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (pathOf(request.url) === NOT_ON_HOST) return void reply.code(404).send(restErrorBody(404, 'not_found_on_host'));
    done();
  });
}
