import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { SETTINGS_TOKEN, type Settings } from '../config/settings.js';
import { observeBatches } from '../database/coalesce.js';
import { poolOf } from '../database/pool.js';
import { StoreError } from '../database/store-error.js';
import { isSameSecret } from '../ids/same-secret.js';
import { bearer } from '../http/bearer.js';
import { Log } from '../log/log.js';

/**
 * Prometheus metrics on a port of their own (SVC_METRICS_PORT), so that no load balancer exposes them. Without that
 * setting nothing is counted.
 */
@Injectable()
export class Metrics implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly enabled: boolean;
  readonly registry = new Registry();

  private readonly requests = new Counter({
    name: 'understudy_requests_total',
    help: 'Calls by method and outcome: ok, an error code, or an HTTP status.',
    labelNames: ['method', 'outcome'] as const,
    registers: [this.registry],
  });
  private readonly latency = new Histogram({
    name: 'understudy_request_seconds',
    help: 'How long a call took, by method.',
    labelNames: ['method'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.registry],
  });
  private readonly refusals = new Counter({
    name: 'understudy_limit_refusals_total',
    help: 'Calls refused because an allowance was used up, by method.',
    labelNames: ['method'] as const,
    registers: [this.registry],
  });
  private readonly batches = new Histogram({
    name: 'understudy_batch_size',
    help: 'How many concurrent calls shared one statement, by statement.',
    labelNames: ['statement'] as const,
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [this.registry],
  });
  private server: Server | undefined;

  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly log: Log,
  ) {
    this.enabled = settings.metricsPort !== undefined;
    if (!this.enabled) return;
    collectDefaultMetrics({ register: this.registry }); // event-loop lag, memory, CPU
    this.pool();
    observeBatches((statement, size) => this.batches.observe({ statement }, size));
  }

  /** One finished call. `outcome` is `ok`, the error code of the answer, or the HTTP status. */
  request(method: string, outcome: string, seconds: number): void {
    if (!this.enabled) return;
    this.requests.inc({ method, outcome });
    this.latency.observe({ method }, seconds);
    if (outcome === 'ratelimited' || outcome === 'RATELIMITED' || outcome === '429') this.refusals.inc({ method });
  }

  /** A gauge that is read on each scrape. `read` must be quick; if it throws, the gauge is left out. */
  gauge(name: string, help: string, read: () => Promise<number> | number): void {
    if (!this.enabled) return;
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        try {
          this.set(await read());
        } catch {
          this.reset();
        }
      },
    });
  }

  /** A counter that another module increments. */
  counter<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
  ): (labels: Record<L, string>, count?: number) => void {
    if (!this.enabled) return () => undefined;
    const counter = new Counter({ name, help, labelNames, registers: [this.registry] });
    return (labels, count = 1) => counter.inc(labels, count);
  }

  /** A histogram of durations that another module measures. */
  histogram<L extends string>(
    name: string,
    help: string,
    labelNames: L[],
    buckets: number[],
  ): (labels: Record<L, string>, seconds: number) => void {
    if (!this.enabled) return () => undefined;
    const histogram = new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
    return (labels, seconds) => histogram.observe(labels, seconds);
  }

  private pool(): void {
    const pool = () => poolOf(this.dataSource);
    this.gauge('understudy_pool_connections', 'Open database connections.', () => pool().totalCount);
    this.gauge('understudy_pool_idle', 'Open database connections that nobody uses.', () => pool().idleCount);
    this.gauge('understudy_pool_waiting', 'Calls that wait for a database connection.', () => pool().waitingCount);
  }

  /** The address of the metrics; undefined when they are off. */
  get port(): number | undefined {
    return (this.server?.address() as AddressInfo | null | undefined)?.port;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, metricsToken, host, metricsHost = host } = this.settings;
    if (metricsPort === undefined || this.server) return;
    const server = createServer((request, response) => {
      if (request.url !== '/metrics') return void response.writeHead(404).end();
      const given = bearer(request.headers.authorization) ?? '';
      if (metricsToken !== undefined && !isSameSecret(given, metricsToken)) return void response.writeHead(401).end();
      this.registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': this.registry.contentType }).end(text),
        (error: unknown) => {
          this.log.error('metrics failed', { error });
          response.writeHead(500).end();
        },
      );
    });
    server.unref();
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'EADDRINUSE'
            ? new StoreError(`the metrics port ${metricsPort} is in use: set SVC_METRICS_PORT to another port`)
            : error,
        ),
      );
      server.listen(metricsPort, metricsHost, resolve);
    });
    this.server = server;
  }

  onApplicationShutdown(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}
