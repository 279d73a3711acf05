import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Clock } from '../clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../config/settings.js';
import { VERSION } from '../config/version.js';
import { Db } from '../database/db.js';
import { migrationCount } from '../database/migrations.js';
import type { Statement } from '../database/statement.js';
import { StoreWatch } from '../database/store-watch.js';
import { Lifecycle } from './lifecycle.js';
import { PING, APPLIED } from './health.queries.js';
const isPrimary = (value: number): boolean => value === 1;

/**
 * docs/reference/control-plane.md#health, docs/reference/tracker.md#rest; `live` and `ready` are for the process's
 * supervisor.
 */
@Controller('health')
export class HealthController {
  constructor(
    private readonly db: Db,
    private readonly store: StoreWatch,
    private readonly clock: Clock,
    private readonly lifecycle: Lifecycle,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  @Get()
  async health(@Res() reply: FastifyReply): Promise<void> {
    const reachable = await this.answers(PING, isPrimary);
    await reply.code(reachable ? 200 : 503).send({
      status: reachable ? 'ok' : 'error',
      service: 'messaging',
      version: VERSION,
      mode: this.settings.mode,
      time: this.clock.nowSeconds(),
    });
  }

  /**
   * The process runs and its event loop turns; the store does not matter here, as a restart would not bring it back.
   */
  @Get('live')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Whether this process should receive calls: not while it stops, nor without its store. */
  @Get('ready')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    this.lifecycle.asked();
    const checks = {
      serving: !this.lifecycle.draining,
      database: await this.answers(PING, isPrimary),
      migrations: await this.answers(APPLIED, (applied) => applied >= migrationCount()),
    };
    const ready = Object.values(checks).every(Boolean);
    await reply.code(ready ? 200 : 503).send({ status: ready ? 'ok' : 'error', checks });
  }

  private answers(s: Statement, accept: (value: number) => boolean): Promise<boolean> {
    if (this.store.silent) return Promise.resolve(false);
    return this.db.read<{ applied?: number }>(s).then(
      ([row]) => accept(row?.applied ?? 0),
      () => false,
    );
  }
}
