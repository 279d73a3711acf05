import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { newHex } from '../../kernel/ids/ids.js';
import { SOCKET_KINDS } from '../events/event-names.js';
import { insertSocketTarget, SOCKETS_DIALECT } from '../events/event-targets.js';
import { SocketMetrics } from './socket-metrics.js';
import {
  CONNECTED,
  DELETE_CONNECTIONS,
  DELETE_REQUESTS,
  DROP_HELD,
  HELD,
  INSERT_CONNECTION,
  LIVE_CONNECTIONS,
  LOCK_APP,
  OPEN_TARGETS,
  RENEW_CONNECTIONS,
  type Ticket,
} from './sockets.queries.js';

/** Connections of one app, over all replicas. */
const MAX_CONNECTIONS = 10;
const DROP_EVERY_MS = 2_000;

/** A connection of this replica as stored now. */
export interface LiveConnection extends Record<string, unknown> {
  readonly id: string;
  readonly appId: string;
  /** The targets for which the app's events are queued: one in each workspace in which it is installed. */
  readonly targetIds: readonly string[];
}

/** Socket Mode connections as leased rows, by which all replicas count them. */
@Injectable()
export class ConnectionRows {
  /** Names this replica in rows, and to clients. */
  readonly replica = `applink-${newHex(8)}`;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly metrics: SocketMetrics,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    upkeep: Upkeep,
  ) {
    upkeep.register('dropping events that no app came for', DROP_EVERY_MS, () => this.dropHeld());
  }

  /** Null: the app has reached its limit of connections. */
  enter(
    id: string,
    { appId, workspaceId, tenantId, tokenHash }: Ticket,
  ): Promise<{ connections: number; targetIds: readonly string[] } | null> {
    return this.db.write(async (tx) => {
      const [app] = await tx.query<{ socketMode: string; creatorId: string }>(LOCK_APP, [appId]);
      if (!app) throw new Error('its app is gone');
      // events that were held for too long are not sent, even if they were not deleted yet
      const dropped = await tx.query(DROP_HELD, this.heldTooLong(appId));
      tx.afterCommit(() => this.metrics.count('events_api', 'dropped', dropped.length));
      const [row] = await tx.query<{ connections: number }>(INSERT_CONNECTION, [
        id,
        appId,
        workspaceId,
        tenantId,
        tokenHash,
        this.replica,
        MAX_CONNECTIONS,
      ]);
      if (!row) return null;
      if (app.socketMode === 'auto') {
        await insertSocketTarget(tx, {
          workspaceId,
          appId,
          names: SOCKET_KINDS,
          creatorId: app.creatorId,
          createdAt: this.clock.nowMicros(),
          whileOpen: true,
        });
      }
      const targets = await tx.query<{ id: string }>(OPEN_TARGETS, [appId, this.settings.socketHoldSeconds]);
      const targetIds = targets.map((target) => target.id);
      if (targetIds.length > 0 && row.connections === 1) {
        const [held] = await tx.query<{ count: number }>(HELD, [targetIds]);
        tx.afterCommit(() => this.metrics.count('events_api', 'held', held?.count));
      }
      return { connections: row.connections, targetIds };
    });
  }

  async renew(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.db.run(RENEW_CONNECTIONS, [ids, this.settings.socketHoldSeconds]);
  }

  /** Those of these connections that may continue. */
  live(ids: readonly string[]): Promise<LiveConnection[]> {
    return this.db.read<LiveConnection>(LIVE_CONNECTIONS, [ids]);
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.db.run(DELETE_CONNECTIONS, [ids, this.settings.socketHoldSeconds]);
  }

  /** Whether an app is connected anywhere, and elsewhere than here. */
  async connected(appId: string): Promise<{ anywhere: boolean; elsewhere: boolean }> {
    const [row] = await this.db.read<{ anywhere: boolean; elsewhere: boolean }>(CONNECTED, [appId, this.replica]);
    return row ?? { anywhere: false, elsewhere: false };
  }

  private async dropHeld(): Promise<void> {
    this.metrics.count('events_api', 'dropped', (await this.db.run(DROP_HELD, this.heldTooLong(null))).length);
    await this.db.run(DELETE_REQUESTS);
  }

  private heldTooLong(appId: string | null): unknown[] {
    return [this.settings.socketHoldSeconds, this.clock.wallOffsetMicros, SOCKETS_DIALECT, appId];
  }
}
