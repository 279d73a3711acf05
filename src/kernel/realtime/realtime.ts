import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Server, Socket } from 'socket.io';
import { isStoreUnavailable } from '../database/unavailable.js';
import { EventTail, type TailedEvent } from '../events/event-tail.js';
import type { Handshake, Hearing, RealtimeProduct, RealtimeSession } from './realtime-product.js';

/** How often the credentials of sockets are looked at while nothing happens, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
/** Sessions judged by one statement. */
const JUDGED_AT_ONCE = 2_000;
/** Packets that wait for a client that does not read; one that lets more pile up is cut off. */
const MOST_UNSENT = 5_000;
/** A store that fails for a moment (a failover) costs no events. */
const TRY_AGAIN_MS = [50, 500];

/** A handshake that is refused; the code is what the client's `connect_error` says. */
export class RealtimeRefusal extends Error {
  constructor(readonly code: string) {
    super(code);
  }
}

interface Connection {
  readonly socket: Socket;
  /** By product. One credential can be good for several. */
  readonly sessions: ReadonlyMap<string, RealtimeSession>;
}

/** What one product makes of a batch. */
interface Judged {
  readonly product: string;
  readonly byTenant: ReadonlyMap<number, readonly RealtimeSession[]>;
  readonly hearing: Hearing<RealtimeSession>;
}

/**
 * The sockets of this process and what they hear (architecture.md, Realtime). Every replica follows the event log and
 * emits to its own sockets, in order of commits within a conversation or organization, at most once; who hears what is
 * judged by the store's state at that moment, never by rooms that were joined earlier.
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

  constructor(private readonly tail: EventTail) {
    tail.interested(() => this.connections.size > 0);
    tail.onEvents((events) => this.emit(events));
  }

  /** A product joins at start-up. */
  register<S extends RealtimeSession>(product: RealtimeProduct<S>): void {
    this.products.set(product.product, product as unknown as RealtimeProduct);
    this.listening.set(product.product, new Map());
  }

  /** Sockets of this server are those that hear. */
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
   * Whom a handshake lets in, by product. Everything that commits after this resolved is heard, and nothing that had
   * committed before the handshake.
   * @throws RealtimeRefusal
   */
  async admit(auth: unknown): Promise<ReadonlyMap<string, RealtimeSession>> {
    const handshake = handshakeOf(auth);
    await this.tail.attend();
    const asked = [...this.products.values()].filter((product) => product.recognises(handshake.token));
    const admissions = await Promise.all(asked.map((product) => product.authenticate(handshake)));
    await this.tail.caughtUp();
    const sessions = new Map<string, RealtimeSession>();
    let otherwise: string | undefined;
    for (const [i, admission] of admissions.entries()) {
      if ('refused' in admission) throw new RealtimeRefusal(admission.refused);
      if ('session' in admission) sessions.set((asked[i] as RealtimeProduct).product, admission.session);
      else otherwise ??= admission.nothingHere;
    }
    if (sessions.size === 0) throw new RealtimeRefusal(otherwise ?? 'invalid_auth');
    return sessions;
  }

  /** Resolves when what had committed before this call has been sent: a room entered then begins here. */
  caughtUp(): Promise<void> {
    return this.tail.caughtUp();
  }

  /** From now on this socket hears what its sessions may hear, until `leave`. */
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

  private async emit(events: readonly TailedEvent[]): Promise<void> {
    if (this.connections.size === 0) return;
    const judged = await this.judgeAll(events);
    for (const { byTenant, hearing } of judged.values()) {
      for (const sessions of byTenant.values()) for (const session of sessions) this.endUnlessLive(hearing, session);
    }
    for (const event of events) {
      const of = judged.get(event.product);
      const present = of?.byTenant.get(event.tenantId)?.filter((session) => this.connections.has(session));
      if (!of || !present || present.length === 0) continue;
      for (const { name, argument, to } of of.hearing.tell(event, present)) this.send(name, argument, to);
    }
  }

  /** Answers nothing for a product whose judgement fails: nobody hears what nobody was asked about. */
  private async judgeAll(events: readonly TailedEvent[]): Promise<Map<string, Judged>> {
    const judged = new Map<string, Judged>();
    await Promise.all(
      [...this.products.values()].map(async (product) => {
        const one = await this.judgeBatch(product, events);
        if (one) judged.set(product.product, one);
      }),
    );
    return judged;
  }

  private async judgeBatch(product: RealtimeProduct, events: readonly TailedEvent[]): Promise<Judged | undefined> {
    const tenants = this.listening.get(product.product) as Map<number, Set<RealtimeSession>>;
    const own = events.filter((event) => event.product === product.product && tenants.has(event.tenantId));
    if (own.length === 0) return undefined;
    const byTenant = new Map(
      own.map((event) => [event.tenantId, [...(tenants.get(event.tenantId) as Set<RealtimeSession>)]]),
    );
    for (let attempt = 0; ; attempt++) {
      try {
        const hearing = await product.judge([...byTenant.values()].flat(), own);
        return { product: product.product, byTenant, hearing };
      } catch (error) {
        const wait = TRY_AGAIN_MS[attempt];
        if (wait === undefined || !isStoreUnavailable(error)) {
          this.log.error(`${own.length} events are not heard: ${(error as Error).message}`, (error as Error).stack);
          return undefined;
        }
        await new Promise((again) => setTimeout(again, wait));
      }
    }
  }

  private send(name: string, argument: object, to: readonly RealtimeSession[]): void {
    const ids: string[] = [];
    for (const session of to) {
      const socket = this.connections.get(session)?.socket;
      if (!socket) continue;
      if (unsentOf(socket) > MOST_UNSENT) socket.disconnect(true);
      else ids.push(socket.id);
    }
    // one encoding for all of them
    if (ids.length > 0) this.io?.local.to(ids).emit(name, argument);
  }

  private lookLater(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look()
        // the tail says when the store is away
        .catch(() => undefined)
        .finally(() => this.lookLater());
    }, LOOK_EVERY_MS).unref();
  }

  /** Ends what revocations, logouts and deletions elsewhere have ended; they are no events. */
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
  const bare = token.replace(/^bearer +/i, '');
  if (bare === '') throw new RealtimeRefusal('not_authed');
  return { token: bare, auth: given };
}

const unsentOf = (socket: Socket): number => (socket.conn as unknown as { writeBuffer: unknown[] }).writeBuffer.length;
