import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Db } from '../database/db.js';
import { StoreInfo } from '../database/store-info.js';
import { newUuid } from '../ids/ids.js';
import { CHANGE_SEATS, COUNT_SEATS, RENEW_SEATS } from './socket-seats.queries.js';

const RENEW_EVERY_MS = 20_000;

/** How many connections each credential has, over all processes. */
@Injectable()
export class SocketSeats implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Ids of the sockets that are connected here or connecting, by the hash of their credential. */
  private readonly here = new Map<string, Set<string>>();
  private readonly process = newUuid();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly db: Db,
    private readonly store: StoreInfo,
  ) {}

  onApplicationBootstrap(): void {
    if (this.store.embedded) return;
    this.timer = setInterval(() => {
      // a failed release does no harm: the next renewal corrects the count
      this.renew().catch(() => undefined);
    }, RENEW_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    if (this.here.size === 0 || this.store.embedded) return;
    this.here.clear();
    await this.renew().catch(() => undefined);
  }

  /** False: the credential has reached its limit. */
  async take(credential: string, socketId: string, most: number): Promise<boolean> {
    const sockets = this.here.get(credential) ?? new Set();
    if (sockets.size >= most) return false;
    sockets.add(socketId);
    this.here.set(credential, sockets);
    if (this.store.embedded) return true;
    try {
      await this.change(credential, 1);
      // counted with its own seat included: of two concurrent ones at most both are refused
      const [row] = await this.db.read<{ seats: number }>(COUNT_SEATS, [credential]);
      if ((row?.seats ?? 0) <= most) return true;
    } catch (error) {
      this.leave(credential, socketId);
      throw error;
    }
    this.leave(credential, socketId);
    return false;
  }

  leave(credential: string, socketId: string): void {
    const sockets = this.here.get(credential);
    if (!sockets?.delete(socketId)) return;
    if (sockets.size === 0) this.here.delete(credential);
    // when the store is away, the next renewal reports it
    if (!this.store.embedded) this.change(credential, -1).catch(() => undefined);
  }

  private async change(credential: string, by: 1 | -1): Promise<void> {
    await this.db.run(CHANGE_SEATS, [credential, this.process, by]);
  }

  private async renew(): Promise<void> {
    const held = [...this.here];
    await this.db.run(RENEW_SEATS, [
      this.process,
      held.map(([credential]) => credential),
      held.map(([, sockets]) => sockets.size),
    ]);
  }
}
