import { Injectable } from '@nestjs/common';
import { ownIds } from '../../kernel/clock/request-sandbox.js';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RestError } from '../../kernel/http/http-error.js';
import { SandboxViews } from '../../kernel/sandbox/sandbox-views.js';
import { Feeds } from './feeds.js';
import { namesOf, passes, readFilters } from './filters.js';
import { startOf, Timeline, view, type PlacedEntry } from './timeline.service.js';

/** The most streams of a sandbox on this replica. */
const MAX_STREAMS = 100;
const COMMENT_MS = 15_000;
/**
 * The most data waiting for a client that does not read; beyond it the stream is closed, and the client resumes by its
 * cursor.
 */
const MAX_BUFFERED = 8 * 1024 * 1024;

/** Timelines as server-sent events. */
@Injectable()
export class Streams {
  private readonly opened = new Map<number, number>();

  constructor(
    private readonly timeline: Timeline,
    private readonly feeds: Feeds,
    private readonly views: SandboxViews,
  ) {}

  /** @throws RestError 400 for a bad filter, 503 when there are too many */
  async open(
    tenantId: number,
    query: Readonly<Record<string, unknown>>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const resumed = request.headers['last-event-id'];
    const filters = readFilters({ ...query, ...(typeof resumed === 'string' && resumed !== '' && { after: resumed }) });
    const open = this.opened.get(tenantId) ?? 0;
    if (open >= MAX_STREAMS || this.feeds.stopping) throw new RestError(503, 'service_unavailable', 1);
    this.opened.set(tenantId, open + 1);
    const { raw } = reply;
    let leave: (() => void) | undefined;
    let ended = false;
    const end = (): void => {
      if (ended) return;
      ended = true;
      clearInterval(comments);
      leave?.();
      unhear();
      const left = (this.opened.get(tenantId) ?? 1) - 1;
      if (left > 0) this.opened.set(tenantId, left);
      else this.opened.delete(tenantId);
      raw.end();
    };
    const comments = setInterval(() => raw.write(': here\n\n'), COMMENT_MS).unref();
    const unhear = this.feeds.onStop(end);
    raw.once('close', end);
    try {
      await this.timeline.complete(tenantId);
      const state = await this.timeline.state(tenantId);
      const names = namesOf(filters);
      let aliases = await this.views.aliases(tenantId, names);
      let queue = Promise.resolve();
      reply.hijack();
      raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-request-id': request.id,
      });
      raw.write(': here\n\n');
      // entries come outside of the request
      const ids = ownIds();
      const seen = (text: string): string => ids?.outside(text) ?? text;
      const send = (placed: PlacedEntry): void => {
        if (ended || !passes(filters, placed.entry, aliases)) return;
        raw.write(`id: ${placed.entry.id}\ndata: ${seen(JSON.stringify(view(placed, filters)))}\n\n`);
        if (raw.writableLength > MAX_BUFFERED) raw.destroy();
      };
      const from = filters.after === null ? state.floor : Math.max(startOf(filters, state), state.floor);
      const stop = await this.feeds.follow(tenantId, from, {
        entries: (entries) => {
          if (names.length === 0) return entries.forEach(send);
          queue = queue
            .then(async () => {
              aliases = await this.views.aliases(tenantId, names);
              entries.forEach(send);
            })
            .catch(() => undefined);
        },
        cleared: () => raw.write('event: cleared\ndata: {}\n\n'),
      });
      leave = stop;
      if (ended) stop();
    } catch (error) {
      end();
      if (!reply.sent) throw error;
    }
  }
}
