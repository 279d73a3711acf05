import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server, Socket } from 'socket.io';
import { withoutBearer } from '../http/bearer.js';
import { LongWork } from '../clock/long-work.js';
import { isStoreTimeout, isStoreUnavailable } from '../database/unavailable.js';
import { eachText } from '../ids/id-space.js';
import { EventTail } from '../events/event-tail.js';
import type { RecordedEvent } from '../events/recorded-event.js';
import type { Handshake, Hearing, RealtimeProduct, RealtimeSession } from './realtime-product.js';
import { TenantQueues } from './tenant-queues.js';

/** How often the credentials of sockets are checked while there are no events, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** The most sessions checked by one statement. */
const JUDGED_AT_ONCE = 2_000;
/** The most packets waiting for a client that does not read; beyond it the client is disconnected. */
const MAX_UNSENT = 5_000;
/** Delay of a retry when the store fails briefly (a failover), so that no events are lost. */
const TRY_AGAIN_MS = [50, 500, 1_000];
/** How long retries last: sockets get what was committed once the store is back, as the log keeps it. */
const RETRY_FOR_MS = 120_000;
/** How many tenants' events are sent concurrently. */
const TENANTS_AT_ONCE = 8;
/**
 * The most events of a tenant waiting to be sent; beyond it its sockets are closed, as they would fall further and
 * further behind.
 */
const MAX_WAITING = 20_000;
/** Listeners times events that are handled together. */
const PAIRS_AT_ONCE = 100_000;
/** The most and the fewest events that are handled together, however many listen. */
const [MAX_EVENTS, LEAST_EVENTS] = [500, 10];
/** Sockets that are sent an event before the elapsed time is checked. */
const SESSIONS_AT_ONCE = 100;
/**
 * Packets that are sent in one step. Most of their cost arises once the sockets are writable again, and delays other
 * work as well.
 */
const PACKETS_AT_ONCE = 500;

/** A handshake that is refused; the code is what the client's `connect_error` says. */
export class RealtimeRefusal extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

interface Connection {
  readonly socket: Socket;
  /** By product. One credential can be valid for several. */
  readonly sessions: ReadonlyMap<string, RealtimeSession>;
}

/**
 * The sockets of this process and the events they receive. Every replica follows the event log and emits to its own
 * sockets, in order of commits within a conversation or organization, at most once; recipients are determined by the
 * store's state at that moment, never by rooms that were joined earlier. Tenants are handled concurrently, and many
 * sockets are served in steps, so that one tenant's crowd delays nobody else.
 */
@Injectable()
export class Realtime implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly log = new Logger('Realtime');
  private readonly products = new Map<string, RealtimeProduct>();
  private readonly connections = new Map<RealtimeSession, Connection>();
  /** Product, then tenant. */
  private readonly listening = new Map<string, Map<number, Set<RealtimeSession>>>();
  private io: Server | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private stopped = false;

  private readonly queues = new TenantQueues<RecordedEvent>(
    (tenantId, events) => this.emitToSessions(tenantId, events),
    {
      atOnce: TENANTS_AT_ONCE,
      most: MAX_WAITING,
      batchOf: (tenantId) =>
        Math.min(MAX_EVENTS, Math.max(LEAST_EVENTS, Math.floor(PAIRS_AT_ONCE / this.listenersOf(tenantId)))),
      onOverflow: (tenantId) => this.cutOff(tenantId),
    },
  );

  constructor(private readonly tail: EventTail) {
    tail.interested(() => this.connections.size > 0);
    tail.onEvents((events) => this.emit(events));
  }

  /** The sessions of a product in one tenant on this process's sockets. */
  sessionsOf(product: string, tenantId: number): ReadonlySet<RealtimeSession> {
    return this.listening.get(product)?.get(tenantId) ?? new Set();
  }

  /** Registers a product, at start-up. */
  register<S extends RealtimeSession>(product: RealtimeProduct<S>): void {
    this.products.set(product.product, product as unknown as RealtimeProduct);
    this.listening.set(product.product, new Map());
  }

  /** Sets the server whose sockets get the events. */
  serve(io: Server): void {
    this.io = io;
  }

  onApplicationBootstrap(): void {
    this.lookLater();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  /**
   * The sessions that a handshake opens, by product. Everything that commits after this resolved is sent, and nothing
   * that had committed before the handshake.
   * @throws RealtimeRefusal
   */
  async admit(auth: unknown): Promise<ReadonlyMap<string, RealtimeSession>> {
    const handshake = handshakeOf(auth);
    await this.tail.attend();
    const asked = [...this.products.values()].filter((product) => product.recognises(handshake.token));
    const admissions = await Promise.all(asked.map((product) => product.authenticate(handshake)));
    const sessions = new Map<string, RealtimeSession>();
    let otherwise: string | undefined;
    for (const [i, admission] of admissions.entries()) {
      if ('refused' in admission) throw new RealtimeRefusal(admission.refused);
      if ('session' in admission) sessions.set((asked[i] as RealtimeProduct).product, admission.session);
      // in whatever order products are asked, a definite refusal wins over an unknown credential
      else if (otherwise === undefined || otherwise === 'invalid_auth') otherwise = admission.nothingHere;
    }
    if (sessions.size === 0) throw new RealtimeRefusal(otherwise ?? 'invalid_auth');
    await this.caughtUp([...sessions.values()].map(({ tenantId }) => tenantId));
    return sessions;
  }

  /**
   * Resolves when everything that had committed in these tenants before this call has been sent: a subscription made
   * then starts here.
   */
  async caughtUp(tenantIds: readonly number[]): Promise<void> {
    await this.tail.caughtUp();
    await Promise.all(tenantIds.map((tenantId) => this.queues.flushed(tenantId)));
  }

  /** Sends this socket the events of its sessions from now on, until `leave`. */
  enter(socket: Socket, sessions: ReadonlyMap<string, RealtimeSession>): void {
    for (const [product, session] of sessions) {
      this.connections.set(session, { socket, sessions });
      const tenants = this.listening.get(product) as Map<number, Set<RealtimeSession>>;
      const there = tenants.get(session.tenantId);
      if (there) there.add(session);
      else tenants.set(session.tenantId, new Set([session]));
    }
  }

  leave(sessions: ReadonlyMap<string, RealtimeSession>): void {
    for (const [product, session] of sessions) {
      this.connections.delete(session);
      const tenants = this.listening.get(product);
      const there = tenants?.get(session.tenantId);
      there?.delete(session);
      if (there?.size === 0) tenants?.delete(session.tenantId);
    }
  }

  /** A product's session on a socket, if its credential is one of that product. */
  sessionOf(socket: Socket, product: string): RealtimeSession | undefined {
    return (socket.data as { sessions?: ReadonlyMap<string, RealtimeSession> }).sessions?.get(product);
  }

  /** Disconnects the socket of a session whose credential has ended. */
  end(session: RealtimeSession): void {
    this.connections.get(session)?.socket.disconnect(true);
  }

  /** Sends sockets of this process something that is in no log, behind what was committed before. */
  announce(event: RecordedEvent): void {
    this.emit([event]);
  }

  private emit(events: readonly RecordedEvent[]): void {
    if (this.connections.size === 0) return;
    const ofTenant = new Map<number, RecordedEvent[]>();
    for (const event of events) {
      if (this.sessionsOf(event.product, event.tenantId).size === 0) continue;
      const there = ofTenant.get(event.tenantId);
      if (there) there.push(event);
      else ofTenant.set(event.tenantId, [event]);
    }
    for (const [tenantId, own] of ofTenant) this.queues.add(tenantId, own);
  }

  private listenersOf(tenantId: number): number {
    let most = 1;
    for (const tenants of this.listening.values()) most = Math.max(most, tenants.get(tenantId)?.size ?? 0);
    return most;
  }

  private cutOff(tenantId: number): void {
    this.log.warn(`more than ${MAX_WAITING} events of tenant ${tenantId} wait to be heard; its sockets are cut off`);
    this.endAll(tenantId);
  }

  private endAll(tenantId: number): void {
    for (const tenants of this.listening.values()) {
      tenants.get(tenantId)?.forEach((session) => this.end(session));
    }
  }

  /**
   * Decides which sessions receive a tenant's events and sends them. If a product's decision fails, nothing is sent, as
   * permissions are unknown then.
   */
  private async emitToSessions(tenantId: number, events: readonly RecordedEvent[]): Promise<void> {
    const judged = new Map<string, { sessions: readonly RealtimeSession[]; hearing: Hearing<RealtimeSession> }>();
    try {
      await Promise.all(
        [...this.products.values()].map(async (product) => {
          const own = events.filter((event) => event.product === product.product);
          const sessions = [...this.sessionsOf(product.product, tenantId)];
          if (own.length === 0 || sessions.length === 0) return;
          const hearing = await this.judge(product, sessions, own);
          if (hearing) judged.set(product.product, { sessions, hearing });
        }),
      );
      for (const { sessions, hearing } of judged.values()) {
        for (const session of sessions) this.endUnlessLive(hearing, session);
      }
      const work = new LongWork(PACKETS_AT_ONCE);
      for (const event of events) {
        const of = judged.get(event.product);
        const present = of?.sessions.filter((session) => this.connections.has(session));
        if (!of || !present || present.length === 0) continue;
        for (const { name, argument, to } of of.hearing.emissionsOf(event, present)) {
          await this.send(name, argument, to, work);
        }
        await work.pause();
      }
      if (events.some(cutsSockets)) this.endAll(tenantId);
    } catch (error) {
      this.log.error(`${events.length} events are not heard: ${(error as Error).message}`, (error as Error).stack);
    }
  }

  private async judge(
    product: RealtimeProduct,
    sessions: readonly RealtimeSession[],
    events: readonly RecordedEvent[],
  ): Promise<Hearing<RealtimeSession> | undefined> {
    const until = performance.now() + RETRY_FOR_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        return await product.judge(sessions, events);
      } catch (error) {
        const wait = TRY_AGAIN_MS[Math.min(attempt, TRY_AGAIN_MS.length - 1)];
        const mayPass = isStoreUnavailable(error) || isStoreTimeout(error);
        if (!mayPass || this.stopped || performance.now() > until) {
          this.log.error(`${events.length} events are not heard: ${(error as Error).message}`, (error as Error).stack);
          return undefined;
        }
        await sleep(wait);
      }
    }
  }

  private async send(name: string, stored: object, to: readonly RealtimeSession[], work: LongWork): Promise<void> {
    // all of one tenant
    const ids = to[0]?.ids;
    const argument = ids ? eachText(stored, (text) => ids.outside(text)) : stored;
    for (let from = 0; from < to.length; from += SESSIONS_AT_ONCE) {
      const ids: string[] = [];
      for (const session of to.slice(from, from + SESSIONS_AT_ONCE)) {
        const socket = this.connections.get(session)?.socket;
        if (!socket) continue;
        if (unsentOf(socket) > MAX_UNSENT) socket.disconnect(true);
        else ids.push(socket.id);
      }
      // one encoding for all of them
      if (ids.length > 0) this.io?.local.to(ids).emit(name, argument);
      await work.pause(ids.length);
    }
  }

  private lookLater(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look()
        // the event tail reports when the store is away
        .catch(() => undefined)
        .finally(() => this.lookLater());
    }, LOOK_EVERY_MS).unref();
  }

  /** Disconnects sessions that were ended elsewhere by revocation, logout or deletion, which are not events. */
  private async look(): Promise<void> {
    for (const product of this.products.values()) {
      const tenants = this.listening.get(product.product) as Map<number, Set<RealtimeSession>>;
      const sessions = [...tenants.values()].flatMap((there) => [...there]);
      for (let from = 0; from < sessions.length; from += JUDGED_AT_ONCE) {
        const some = sessions.slice(from, from + JUDGED_AT_ONCE);
        const hearing = await product.judge(some, []);
        for (const session of some) this.endUnlessLive(hearing, session);
      }
    }
  }

  private endUnlessLive(hearing: Hearing<RealtimeSession>, session: RealtimeSession): void {
    if (!hearing.isLive(session)) this.end(session);
  }
}

/** @throws RealtimeRefusal not_authed, invalid_auth */
function handshakeOf(auth: unknown): Handshake {
  const given = typeof auth === 'object' && auth !== null ? (auth as Record<string, unknown>) : {};
  const token = given['token'];
  if (token === undefined || token === null || token === '') throw new RealtimeRefusal('not_authed');
  if (typeof token !== 'string') throw new RealtimeRefusal('invalid_auth');
  const bare = withoutBearer(token);
  if (bare === '') throw new RealtimeRefusal('not_authed');
  return { token: bare, auth: given };
}

/** After a reset of a sandbox in which an id may mean something else from then on. */
const cutsSockets = ({ kind, data }: RecordedEvent): boolean =>
  kind === 'sandbox_reset' && (JSON.parse(data) as { disconnects?: boolean }).disconnects === true;

const unsentOf = (socket: Socket): number => (socket.conn as unknown as { writeBuffer: unknown[] }).writeBuffer.length;
