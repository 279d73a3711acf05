import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { WebSocket } from 'ws';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { Lifecycle } from '../../kernel/http/lifecycle.js';
import { newHex } from '../../kernel/ids/ids.js';
import { SOCKET_KINDS } from '../events/event-names.js';
import { insertSocketTarget, SOCKETS_DIALECT } from '../events/event-targets.js';
import { Connection } from './connection.js';
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
  OPEN_TARGET,
  RENEW_CONNECTIONS,
  type Ticket,
} from './sockets.queries.js';

/** Connections of one app, over all replicas. */
const MOST_CONNECTIONS = 10;
const RENEW_EVERY_MS = 3_000;
const LOOK_EVERY_MS = 1_000;
const DROP_EVERY_MS = 2_000;
const DRAIN_MS = 3_000;
/** `debug_reconnects=true` asks for so short a life, in seconds. */
export const DEBUG_LIFETIME_SECONDS = 360;

export type AckListener = (appId: string, envelopeId: string, payload: unknown) => void;

/** The Socket Mode connections of this replica, by app, each a leased row that all replicas count. */
@Injectable()
export class Connections implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Sockets');
  /** Names this replica in rows, and to clients. */
  readonly replica = `applink-${newHex(8)}`;
  private readonly byApp = new Map<string, Connection[]>();
  private readonly appOfTarget = new Map<string, string>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private ackListener: AckListener = () => undefined;
  private readonly changed = new Set<(targetId: string | undefined, isOpen: boolean) => void>();
  private timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly metrics: SocketMetrics,
    private readonly lifecycle: Lifecycle,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    upkeep: Upkeep,
  ) {
    upkeep.register('dropping events that no app came for', DROP_EVERY_MS, () => this.dropHeld());
    lifecycle.onDrain(() => this.leave());
  }

  onApplicationBootstrap(): void {
    this.timers = [
      setInterval(() => this.quietly(this.renew()), RENEW_EVERY_MS).unref(),
      setInterval(() => this.quietly(this.endDisabled()), LOOK_EVERY_MS).unref(),
    ];
  }

  /** Clients are told at once and have a while to go. */
  private leave(): void {
    for (const connection of this.all()) connection.disconnect('refresh_requested', DRAIN_MS - 200);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.lifecycle.drain();
    for (const timer of this.timers) clearInterval(timer);
    const open = this.all();
    const end = performance.now() + DRAIN_MS;
    while (this.all().length > 0 && performance.now() < end) await new Promise((again) => setTimeout(again, 20));
    for (const connection of this.all()) connection.close(1001);
    this.quietly(this.remove(open));
  }

  /** Told when an app's connection opens here, or its last one has closed. */
  onChange(listener: (targetId: string | undefined, isOpen: boolean) => void): void {
    this.changed.add(listener);
  }

  onAck(listener: AckListener): void {
    this.ackListener = listener;
  }

  get count(): number {
    return this.all().length;
  }

  /** Apps that take an envelope here now. */
  get apps(): string[] {
    return [...this.byApp].filter(([, all]) => all.some((one) => one.takes(true))).map(([appId]) => appId);
  }

  /** Socket targets of apps that are connected here. */
  get targets(): string[] {
    return [...this.appOfTarget].filter(([, appId]) => this.isHere(appId)).map(([targetId]) => targetId);
  }

  appOf(targetId: string): string | undefined {
    return this.appOfTarget.get(targetId);
  }

  isHere(appId: string): boolean {
    return (this.byApp.get(appId) ?? []).some((connection) => connection.isOfUse);
  }

  async connected(appId: string): Promise<{ anywhere: boolean; elsewhere: boolean }> {
    const [row] = await this.db.read<{ anywhere: boolean; elsewhere: boolean }>(CONNECTED, [appId, this.replica]);
    return row ?? { anywhere: false, elsewhere: false };
  }

  /** A connection that takes an envelope now, in turn. @param avoid one that is taken only where there is no other */
  pick(appId: string, avoid?: Connection): Connection | undefined {
    const all = this.byApp.get(appId) ?? [];
    const chosen =
      all.find((one) => one !== avoid && one.takes(false)) ??
      all.find((one) => one.takes(false)) ??
      all.find((one) => one.takes(true));
    if (!chosen) return undefined;
    all.splice(all.indexOf(chosen), 1);
    all.push(chosen);
    return chosen;
  }

  /** Resolves when the app takes another envelope here; false when it is not connected here any more. */
  async room(appId: string): Promise<boolean> {
    for (;;) {
      const all = this.byApp.get(appId) ?? [];
      if (all.some((one) => one.takes(false)) || all.some((one) => one.takes(true))) return true;
      if (!all.some((one) => one.isOfUse)) return false;
      await new Promise<void>((again) => {
        const list = this.waiting.get(appId) ?? [];
        list.push(again);
        this.waiting.set(appId, list);
      });
    }
  }

  /** Takes an upgraded socket into service. */
  async open(ticket: Ticket, socket: WebSocket, isShort: boolean): Promise<void> {
    const { appId, workspaceId, tenantId } = ticket;
    const owner = { id: newHex(24), appId, workspaceId, tenantId };
    const lifetime = isShort ? DEBUG_LIFETIME_SECONDS : this.settings.socketLifetimeSeconds;
    const connection = new Connection(owner, socket, this.replica, lifetime, {
      onAck: (_, envelopeId, payload) => this.ackListener(appId, envelopeId, payload),
      onRoom: () => this.retell(appId),
      onClose: (closed) => this.closed(closed),
    });
    const entered = await this.enter(connection, ticket).catch((error: Error) => {
      this.log.warn(`a connection cannot be opened: ${error.message}`);
      connection.close(1011);
      return undefined;
    });
    if (entered === undefined) return;
    if (entered === null) return connection.disconnect('too_many_websockets', 0);
    if (!connection.isOpen) return this.quietly(this.remove([connection]));
    const all = this.byApp.get(appId) ?? [];
    this.byApp.set(appId, [...all, connection]);
    if (entered.targetId !== undefined) this.appOfTarget.set(entered.targetId, appId);
    connection.hello(entered.connections);
    if (this.lifecycle.draining) this.leave();
    this.retell(appId);
    for (const listener of this.changed) listener(entered.targetId, true);
  }

  /** Null: the app has as many connections as it may. */
  private async enter(
    connection: Connection,
    { appId, workspaceId, tenantId, tokenHash }: Ticket,
  ): Promise<{ connections: number; targetId: string | undefined } | null> {
    return this.db.write(async (tx) => {
      const [app] = await tx.query<{ socketMode: string; creatorId: string }>(LOCK_APP, [appId]);
      if (!app) throw new Error('its app is gone');
      const [row] = await tx.query<{ connections: number }>(INSERT_CONNECTION, [
        connection.owner.id,
        appId,
        workspaceId,
        tenantId,
        tokenHash,
        this.replica,
        MOST_CONNECTIONS,
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
      const [target] = await tx.query<{ id: string }>(OPEN_TARGET, [appId, this.settings.socketHoldSeconds]);
      if (target && row.connections === 1) {
        const [held] = await tx.query<{ count: number }>(HELD, [target.id]);
        tx.afterCommit(() => this.metrics.count('events_api', 'held', held?.count));
      }
      return { connections: row.connections, targetId: target?.id };
    });
  }

  private closed(connection: Connection): void {
    const { appId } = connection.owner;
    const left = (this.byApp.get(appId) ?? []).filter((one) => one !== connection);
    if (left.length > 0) this.byApp.set(appId, left);
    else this.byApp.delete(appId);
    this.retell(appId);
    this.quietly(this.remove([connection]));
    if (this.isHere(appId)) return;
    for (const [targetId, of] of this.appOfTarget) {
      if (of !== appId) continue;
      this.appOfTarget.delete(targetId);
      for (const listener of this.changed) listener(targetId, false);
    }
  }

  /** Those who wait for room look again. */
  private retell(appId: string): void {
    const waiting = this.waiting.get(appId);
    if (!waiting) return;
    this.waiting.delete(appId);
    for (const again of waiting) again();
  }

  private all(): Connection[] {
    return [...this.byApp.values()].flat();
  }

  private async renew(): Promise<void> {
    const ids = this.all().map(({ owner }) => owner.id);
    if (ids.length > 0) await this.db.run(RENEW_CONNECTIONS, [ids, this.settings.socketHoldSeconds]);
  }

  /** Tokens that were rotated, apps and workspaces that are gone: their connections go too. */
  private async endDisabled(): Promise<void> {
    const all = this.all();
    if (all.length === 0) return;
    const rows = await this.db.read<{ id: string }>(LIVE_CONNECTIONS, [all.map(({ owner }) => owner.id)]);
    const live = new Set(rows.map(({ id }) => id));
    for (const connection of all) if (!live.has(connection.owner.id)) connection.disconnect('link_disabled', 1_000);
  }

  private async remove(connections: readonly Connection[]): Promise<void> {
    if (connections.length === 0) return;
    const ids = connections.map(({ owner }) => owner.id);
    await this.db.run(DELETE_CONNECTIONS, [ids, this.settings.socketHoldSeconds]);
  }

  private async dropHeld(): Promise<void> {
    const values = [this.settings.socketHoldSeconds, this.clock.wallOffsetMicros, SOCKETS_DIALECT];
    this.metrics.count('events_api', 'dropped', (await this.db.run(DROP_HELD, values)).length);
    await this.db.run(DELETE_REQUESTS);
  }

  private quietly(work: Promise<unknown>): void {
    work.catch((error: Error) => this.log.debug(`connections are not counted: ${error.message}`));
  }
}
