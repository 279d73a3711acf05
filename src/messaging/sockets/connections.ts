import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import type { WebSocket } from 'ws';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Wakeups } from '../../kernel/events/wakeups.js';
import { Lifecycle } from '../../kernel/http/lifecycle.js';
import { idSpaceOf } from '../../kernel/ids/id-space.js';
import { newHex } from '../../kernel/ids/ids.js';
import { SandboxResets } from '../../kernel/sandbox/sandbox-resets.js';
import { Connection } from './connection.js';
import { ConnectionRows } from './connection-rows.js';
import { CUT_CONNECTIONS, type Ticket } from './sockets.queries.js';

const RENEW_EVERY_MS = 3_000;
const LOOK_EVERY_MS = 1_000;
const DRAIN_MS = 3_000;
/** Begins a message to the other replicas: the connections of a tenant are to be cut. */
const CUT = 'sockets of tenant ';
/** `debug_reconnects=true` requests this short a lifetime, in seconds. */
export const DEBUG_LIFETIME_SECONDS = 360;

export type AckListener = (appId: string, envelopeId: string, payload: unknown) => void;

/** The Socket Mode connections of this replica, by app. */
@Injectable()
export class Connections implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Sockets');
  private readonly byApp = new Map<string, Connection[]>();
  private readonly appOfTarget = new Map<string, string>();
  private readonly waiting = new Map<string, (() => void)[]>();
  private ackListener: AckListener = () => undefined;
  private readonly changed = new Set<(targetId: string, isOpen: boolean) => void>();
  private readonly unsubscribe: () => void;
  private timers: NodeJS.Timeout[] = [];
  private isLooking = false;

  constructor(
    private readonly rows: ConnectionRows,
    private readonly lifecycle: Lifecycle,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    wakeups: Wakeups,
    resets: SandboxResets,
  ) {
    lifecycle.onDrain(() => this.leave());
    resets.onReset(async (tx, tenantId) => {
      if ((await tx.query(CUT_CONNECTIONS, [tenantId])).length === 0) return;
      tx.afterCommit(() => {
        this.cut(tenantId);
        // a message may be lost: a replica finds that the rows are gone all the same
        void wakeups.send(CUT + String(tenantId));
      });
    });
    this.unsubscribe = wakeups.onMessage((message) => {
      if (message.startsWith(CUT)) this.cut(Number(message.slice(CUT.length)));
    });
  }

  onApplicationBootstrap(): void {
    this.timers = [
      setInterval(() => this.quietly(this.rows.renew(this.all().map(({ owner }) => owner.id))), RENEW_EVERY_MS).unref(),
      setInterval(() => this.quietly(this.look()), LOOK_EVERY_MS).unref(),
    ];
  }

  /** Clients are asked to disconnect at once and have a while to do so. */
  private leave(): void {
    for (const connection of this.all()) connection.disconnect('refresh_requested', DRAIN_MS - 200);
  }

  /** Apps connect anew: what they know of is gone. */
  private cut(tenantId: number): void {
    for (const connection of this.all()) {
      if (connection.owner.tenantId === tenantId) connection.disconnect('refresh_requested', 0);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    this.lifecycle.drain();
    for (const timer of this.timers) clearInterval(timer);
    const open = this.all();
    const end = performance.now() + DRAIN_MS;
    while (this.all().length > 0 && performance.now() < end) await new Promise((again) => setTimeout(again, 20));
    for (const connection of this.all()) connection.close(1001);
    // otherwise their rows would count until they expire, and attract commands here
    await this.remove(open).catch(() => undefined);
  }

  /** Called when an app's connection opens here, or its last one has closed. */
  onChange(listener: (targetId: string, isOpen: boolean) => void): void {
    this.changed.add(listener);
  }

  onAck(listener: AckListener): void {
    this.ackListener = listener;
  }

  get count(): number {
    return this.all().length;
  }

  /** Apps that can receive commands and interactions here now. */
  get apps(): string[] {
    return [...this.byApp].filter(([, all]) => all.some((one) => one.takesCalls(true))).map(([appId]) => appId);
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

  /**
   * The next connection with room, round robin.
   * @param avoid one that is only used if there is no other
   */
  pick(appId: string, avoid?: Connection): Connection | undefined {
    const all = this.byApp.get(appId) ?? [];
    const chosen =
      all.find((one) => one !== avoid && one.takes(false)) ??
      all.find((one) => one.takes(false)) ??
      all.find((one) => one.takes(true));
    return toTheEnd(all, chosen);
  }

  /** One for a command or an interaction: it is sent at once, even if events have to wait for room. */
  pickForCall(appId: string): Connection | undefined {
    const all = this.byApp.get(appId) ?? [];
    return (
      this.pick(appId) ??
      toTheEnd(all, all.find((one) => one.takesCalls(false)) ?? all.find((one) => one.takesCalls(true)))
    );
  }

  /** Resolves when the app has room for another envelope here; false when it is not connected here any more. */
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
    const owner = { id: newHex(24), appId, workspaceId, tenantId, ids: idSpaceOf(ticket.idKey) };
    const lifetime = isShort ? DEBUG_LIFETIME_SECONDS : this.settings.socketLifetimeSeconds;
    const connection = new Connection(owner, socket, this.rows.replica, lifetime, {
      onAck: (_, envelopeId, payload) => this.ackListener(appId, envelopeId, payload),
      onRoom: () => this.announceAgain(appId),
      onClose: (closed) => this.closed(closed),
    });
    const entered = await this.rows.enter(owner.id, ticket).catch((error: Error) => {
      this.log.warn(`a connection cannot be opened: ${error.message}`);
      connection.close(1011);
      return undefined;
    });
    if (entered === undefined) return;
    if (entered === null) return connection.disconnect('too_many_websockets', 0);
    if (!connection.isOpen) return this.quietly(this.remove([connection]));
    const all = this.byApp.get(appId) ?? [];
    this.byApp.set(appId, [...all, connection]);
    for (const targetId of entered.targetIds) this.appOfTarget.set(targetId, appId);
    connection.hello(entered.connections);
    if (this.lifecycle.draining) this.leave();
    this.announceAgain(appId);
    for (const targetId of entered.targetIds) for (const listener of this.changed) listener(targetId, true);
  }

  private closed(connection: Connection): void {
    const { appId } = connection.owner;
    const left = (this.byApp.get(appId) ?? []).filter((one) => one !== connection);
    if (left.length > 0) this.byApp.set(appId, left);
    else this.byApp.delete(appId);
    this.announceAgain(appId);
    this.quietly(this.remove([connection]));
    if (!this.isHere(appId)) this.forgetTargets(appId);
  }

  /** Those who wait for room look again. */
  private announceAgain(appId: string): void {
    const waiting = this.waiting.get(appId);
    if (!waiting) return;
    this.waiting.delete(appId);
    for (const again of waiting) again();
  }

  private all(): Connection[] {
    return [...this.byApp.values()].flat();
  }

  /**
   * Rotated tokens, deleted apps and workspaces: their connections are closed. The others may have another target by
   * now.
   */
  private async look(): Promise<void> {
    const all = this.all();
    if (all.length === 0 || this.isLooking) return;
    this.isLooking = true;
    const rows = await this.rows.live(all.map(({ owner }) => owner.id)).finally(() => (this.isLooking = false));
    const live = new Set(rows.map(({ id }) => id));
    for (const connection of all) if (!live.has(connection.owner.id)) connection.disconnect('link_disabled', 1_000);
    for (const { appId, targetIds } of rows) this.setTargets(appId, targetIds);
  }

  /** Where the app's events are queued now. */
  private setTargets(appId: string, targetIds: readonly string[]): void {
    if (!this.byApp.has(appId)) return;
    this.forgetTargets(appId, targetIds);
    for (const targetId of targetIds) {
      if (this.appOfTarget.get(targetId) === appId) continue;
      this.appOfTarget.set(targetId, appId);
      for (const listener of this.changed) listener(targetId, true);
    }
  }

  private forgetTargets(appId: string, but: readonly string[] = []): void {
    for (const [targetId, of] of this.appOfTarget) {
      if (of !== appId || but.includes(targetId)) continue;
      this.appOfTarget.delete(targetId);
      for (const listener of this.changed) listener(targetId, false);
    }
  }

  private remove(connections: readonly Connection[]): Promise<void> {
    return this.rows.remove(connections.map(({ owner }) => owner.id));
  }

  private quietly(work: Promise<unknown>): void {
    work.catch((error: Error) => this.log.debug(`connections are not counted: ${error.message}`));
  }
}

/** Round robin: the chosen one goes to the end. */
function toTheEnd(all: Connection[], chosen: Connection | undefined): Connection | undefined {
  if (!chosen) return undefined;
  all.splice(all.indexOf(chosen), 1);
  all.push(chosen);
  return chosen;
}
