import { Logger } from '@nestjs/common';
import type { RawData, WebSocket } from 'ws';
import { eachText, type IdSpace } from '../../kernel/ids/id-space.js';
import { parseJson } from '../../kernel/text/json.js';

const PING_EVERY_MS = 10_000;
const SILENT_MS = 30_000;
/** Limits of a connection: envelopes waiting for an ack, and bytes waiting in the socket. */
const MAX_UNACKED = 100;
const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
const FULL_FOR_MS = 30_000;
const FRAMES_PER_SECOND = 200;
const BAD_FRAMES = 10;
const BAD_FRAMES_WITHIN_MS = 60_000;
const WARNING_BEFORE_MS = 10_000;
/** Shorter lifetimes end without a warning. */
const WARNED_FROM_SECONDS = 20;
const CLOSE_AFTER_MS = 10_000;
/** Lifetimes are shortened at random by up to this share, so that connections do not refresh together. */
const SPREAD = 0.05;

export type DisconnectReason = 'warning' | 'refresh_requested' | 'too_many_websockets' | 'link_disabled';

/** The app of a connection, and its id. */
export interface SocketOwner {
  readonly id: string;
  readonly appId: string;
  readonly workspaceId: string;
  readonly tenantId: number;
  /** Those in which the app is spoken to; null: the server's. */
  readonly ids: IdSpace | null;
}

interface Hooks {
  readonly onAck: (connection: Connection, envelopeId: string, payload: unknown) => void;
  readonly onRoom: (connection: Connection) => void;
  readonly onClose: (connection: Connection) => void;
}

/** One Socket Mode connection of an app: what is sent on it, what it may send, and when it ends. */
export class Connection {
  private readonly log = new Logger('Sockets');
  private readonly unacked = new Map<string, NodeJS.Timeout>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly badFrames: number[] = [];
  private heardAt = performance.now();
  private fullSince: number | undefined;
  private second = 0;
  private frames = 0;
  private isPaused = false;
  private hasSentHello = false;
  private announcedEnd: DisconnectReason | undefined;
  readonly lifetimeSeconds: number;

  constructor(
    readonly owner: SocketOwner,
    private readonly socket: WebSocket,
    private readonly host: string,
    private readonly longestSeconds: number,
    private readonly hooks: Hooks,
  ) {
    this.lifetimeSeconds = Math.round(longestSeconds * (1 - Math.random() * SPREAD));
    socket.on('message', (data, isBinary) => this.received(data, isBinary));
    // pings are answered at once: a client that sends them endlessly without reading would fill the socket
    socket.on('ping', () => this.cameIn());
    socket.on('pong', () => this.cameIn());
    // frames that break the protocol: the close that follows says so
    socket.on('error', () => undefined);
    socket.on('close', () => this.ended());
    this.every(PING_EVERY_MS, () => this.beat());
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /**
   * Ready: past its hello, with room, and not asked to disconnect. One that was only warned is used if there is no
   * other.
   */
  takes(inNeed: boolean): boolean {
    return this.takesCalls(inNeed) && this.unacked.size < MAX_UNACKED;
  }

  /** For a command or an interaction, which cannot wait: unacked events do not block it. */
  takesCalls(inNeed: boolean): boolean {
    if (
      !this.hasSentHello ||
      !this.isOpen ||
      (this.announcedEnd !== undefined && !(inNeed && this.announcedEnd === 'warning'))
    )
      return false;
    return !this.isBackedUp();
  }

  /** Too much is waiting in the socket; remembers since when. */
  private isBackedUp(): boolean {
    const isBackedUp = this.socket.bufferedAmount > MAX_UNSENT_BYTES;
    this.fullSince = isBackedUp ? (this.fullSince ?? performance.now()) : undefined;
    return isBackedUp;
  }

  /** True while it can accept envelopes, now or when there is room again. */
  get isOfUse(): boolean {
    return this.isOpen && (this.announcedEnd === undefined || this.announcedEnd === 'warning');
  }

  hello(connections: number): void {
    this.hasSentHello = true;
    this.write({
      type: 'hello',
      num_connections: connections,
      debug_info: {
        host: this.host,
        build_number: 1,
        approximate_connection_time: this.lifetimeSeconds,
      },
      connection_info: { app_id: this.owner.ids?.outside(this.owner.appId) ?? this.owner.appId },
    });
    if (this.lifetimeSeconds === 0) return;
    const endMs = this.lifetimeSeconds * 1000;
    if (this.longestSeconds >= WARNED_FROM_SECONDS)
      this.after(endMs - WARNING_BEFORE_MS, () => this.disconnect('warning'));
    this.after(endMs, () => this.disconnect('refresh_requested'));
  }

  /** Sends an envelope, as text; it occupies its place until it is acked or `forMs` are over. */
  send(envelopeId: string, text: string, forMs: number): void {
    const timer = setTimeout(() => this.settled(envelopeId), forMs);
    this.unacked.set(envelopeId, timer.unref());
    this.socket.send(text);
  }

  settled(envelopeId: string): void {
    const timer = this.unacked.get(envelopeId);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.unacked.delete(envelopeId);
    this.hooks.onRoom(this);
  }

  /** Asks the client to disconnect and, unless it is only a warning, closes after a while. */
  disconnect(reason: DisconnectReason, closeAfterMs = CLOSE_AFTER_MS): void {
    if (!this.isOpen || (this.announcedEnd !== undefined && this.announcedEnd !== 'warning')) return;
    this.announcedEnd = reason;
    this.write({ type: 'disconnect', reason, debug_info: { host: this.host } });
    // callers waiting for room here look elsewhere
    this.hooks.onRoom(this);
    if (reason === 'warning') return;
    if (closeAfterMs === 0) this.close(1000);
    else this.after(closeAfterMs, () => this.close(1000));
  }

  close(code: number): void {
    this.socket.close(code);
  }

  terminate(): void {
    this.socket.terminate();
  }

  private write(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  private received(data: RawData, isBinary: boolean): void {
    this.cameIn();
    if (isBinary) return this.close(1003);
    const ack = readAck((data as Buffer).toString('utf8'));
    if (!ack) return this.bad();
    this.settled(ack.id);
    const { ids } = this.owner;
    this.hooks.onAck(this, ack.id, ids ? eachText(ack.payload, (text) => ids.inside(text)) : ack.payload);
  }

  /** A received frame. Reading is throttled to the limit; nothing is dropped. */
  private cameIn(): void {
    const now = performance.now();
    this.heardAt = now;
    if (now - this.second >= 1_000) {
      this.second = now;
      this.frames = 0;
    }
    // what was read before the pause still comes
    if (++this.frames < FRAMES_PER_SECOND || this.isPaused) return;
    this.isPaused = true;
    this.socket.pause();
    this.after(Math.max(1, this.second + 1_000 - now), () => {
      this.isPaused = false;
      this.socket.resume();
    });
  }

  private bad(): void {
    const now = performance.now();
    this.log.debug(`a frame of ${this.owner.appId} is no acknowledgement`);
    while ((this.badFrames[0] ?? now) < now - BAD_FRAMES_WITHIN_MS) this.badFrames.shift();
    this.badFrames.push(now);
    if (this.badFrames.length >= BAD_FRAMES) this.close(1008);
  }

  private beat(): void {
    const now = performance.now();
    const isStuck = this.isBackedUp() && (this.fullSince as number) < now - FULL_FOR_MS;
    if (this.heardAt < now - SILENT_MS || isStuck) return this.terminate();
    if (this.isOpen) this.socket.ping(`Ping from ${this.host}`);
    this.hooks.onRoom(this);
  }

  private ended(): void {
    for (const timer of this.timers) clearTimeout(timer);
    for (const timer of this.unacked.values()) clearTimeout(timer);
    this.hooks.onClose(this);
  }

  private after(ms: number, work: () => void): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        work();
      },
      // the longest timer there is
      Math.min(ms, 2_147_483_647),
    );
    this.timers.add(timer.unref());
  }

  private every(ms: number, work: () => void): void {
    this.timers.add(setInterval(work, ms).unref());
  }
}

/** The acknowledgement in a client's frame; undefined for an invalid one. */
function readAck(text: string): { id: string; payload: unknown } | undefined {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { envelope_id: id, payload } = value as { envelope_id?: unknown; payload?: unknown };
  return typeof id === 'string' ? { id, payload } : undefined;
}
