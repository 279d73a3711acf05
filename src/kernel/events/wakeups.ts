import { AsyncResource } from 'node:async_hooks';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { poolOf } from '../database/pool.js';
import { KEEP_ALIVE_AFTER_MS, StoreInfo } from '../database/store-info.js';
import { NOTIFY, OWN_PROCESS } from './wakeups.queries.js';
import { EventLog, type Queued } from './event-log.js';

const CHANNEL = 'understudy_events';
/** The channel for messages between replicas. */
const MESSAGES = 'understudy_messages';
/** The message that is a replica's last: it ends in order. */
export const FAREWELL = '.';
/** A payload must have fewer than 8,000 bytes. */
const MAX_BYTES = 7_500;
/**
 * Minimum time between two NOTIFYs: it serializes the server's commits, and a single client that posts as fast as it
 * can should not pay for one with every call.
 */
const NOTIFY_EVERY_MS = 20;
const RECONNECT_MS = [200, 500, 1_000, 2_000, 5_000];

/**
 * Signals that the event log grew: immediately for commits of this process, and by LISTEN on a connection of its own
 * for commits of other replicas. A wake-up is a hint that may be lost; a component that needs certainty polls as well.
 */
@Injectable()
export class Wakeups implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('Wakeups');
  private readonly listeners = new Set<(queued: Queued) => void>();
  private readonly ofOthers = new Set<() => void>();
  /** The connection does one thing at a time. */
  private turn: Promise<unknown> = Promise.resolve();
  private readonly readers = new Set<(message: string) => void>();
  private readonly unsubscribe: () => void;
  private client: pg.Client | undefined;
  /** The server's process behind the connection: a pooler in between gives the client another number. */
  private ownProcess: number | undefined;
  /** Until it connects again. */
  private timer: NodeJS.Timeout | undefined;
  /** Those who wait until it is connected. */
  private readonly waiting = new Set<() => void>();
  private failures = 0;
  private started = false;
  private notifiedAt = -Infinity;
  private notifying = false;
  private notifyWanted = false;

  constructor(
    eventLog: EventLog,
    private readonly store: StoreInfo,
    dataSource: DataSource,
  ) {
    // the database is back: from now on there are calls that other replicas ask for
    if (!store.embedded) poolOf(dataSource).on('connect', () => this.connectSooner());
    // a commit wakes listeners inside db.write's async context, where they could not use the pool
    this.unsubscribe = eventLog.onWake(
      AsyncResource.bind((queued: Queued) => {
        this.notifyListeners(queued);
        this.notifySoon();
      }),
    );
  }

  /**
   * `listener` must be quick and not throw; `queued` names the targets, if this process knows them. Returns a function
   * that removes it.
   */
  onWake(listener: (queued: Queued) => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** `listener` is called after commits of other replicas only, or when some may have been missed. */
  onOthers(listener: () => void): () => void {
    this.ofOthers.add(listener);
    return () => void this.ofOthers.delete(listener);
  }

  /** `reader` gets what other replicas `send`; it must be quick and not throw. */
  onMessage(reader: (message: string) => void): () => void {
    this.readers.add(reader);
    return () => void this.readers.delete(reader);
  }

  /** Sends the other replicas a short message, which may be lost. Returns whether it was sent. */
  async send(message: string): Promise<boolean> {
    const { client } = this;
    if (!client || Buffer.byteLength(message) > MAX_BYTES) return false;
    return this.inTurn(() => client.query(NOTIFY, [MESSAGES, message])).then(
      () => true,
      () => false,
    );
  }

  /** True while changes of other replicas are received immediately. */
  get connected(): boolean {
    return this.client !== undefined;
  }

  /** Resolves once it is connected, and after `ms` milliseconds at the latest. */
  async whenConnected(ms: number): Promise<void> {
    if (this.client || !this.started || this.store.embedded) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.waiting.add(done);
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.stop();
  }

  async start(): Promise<void> {
    if (this.started) return;
    this.started = true;
    await this.connect();
  }

  async stop(): Promise<void> {
    this.started = false;
    this.unsubscribe();
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.send(FAREWELL);
    const client = this.client;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  private notifyListeners(queued: Queued): void {
    for (const listener of this.listeners) listener(queued);
  }

  private onOtherReplica(): void {
    this.notifyListeners(true);
    for (const listener of this.ofOthers) listener();
  }

  private connectSooner(): void {
    if (!this.timer) return;
    clearTimeout(this.timer);
    void this.connect();
  }

  private async connect(): Promise<void> {
    this.timer = undefined;
    if (this.store.embedded || this.store.databaseUrl === undefined) return;
    const client = new pg.Client({
      connectionString: this.store.databaseUrl,
      application_name: 'understudy wake-ups',
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
    });
    let lost = false;
    const lose = (error?: Error): void => {
      if (lost) return;
      lost = true;
      if (this.client === client) this.client = undefined;
      client.end().catch(() => undefined);
      if (!this.started) return;
      if (this.failures === 0) this.log.warn(`no wake-ups from other replicas: ${error?.message ?? 'connection lost'}`);
      const delay = RECONNECT_MS[Math.min(this.failures++, RECONNECT_MS.length - 1)];
      this.timer = setTimeout(() => void this.connect(), delay).unref();
    };
    client.on('error', lose);
    client.on('end', () => lose());
    client.on('notification', (message) => {
      // commits of this process have been signalled already, and a question is not for who asks it
      if (message.processId === this.ownProcess) return;
      if (message.channel === CHANNEL) this.onOtherReplica();
      else for (const reader of this.readers) reader(message.payload ?? '');
    });
    try {
      await client.connect();
      // a notification need not survive a crash; if its commit waited for the disk, commits of calls would wait behind it
      const { rows } = await client.query<{ pid: number }>(OWN_PROCESS);
      this.ownProcess = rows[0]?.pid;
      await client.query(`SET synchronous_commit = off; LISTEN ${CHANNEL}; LISTEN ${MESSAGES}`);
      if (!this.started) return lose();
      this.client = client;
      for (const done of this.waiting) done();
      if (this.failures > 0) this.log.log('wake-ups from other replicas are back');
      this.failures = 0;
      // something may have been missed meanwhile
      this.onOtherReplica();
    } catch (error) {
      lose(error as Error);
    }
  }

  private notifySoon(): void {
    this.notifyWanted = true;
    if (this.notifying || this.client === undefined) return;
    this.notifying = true;
    setTimeout(() => void this.notify(), Math.max(0, this.notifiedAt + NOTIFY_EVERY_MS - performance.now())).unref();
  }

  /** One at a time; commits meanwhile cause another one. */
  private async notify(): Promise<void> {
    this.notifyWanted = false;
    this.notifiedAt = performance.now();
    const { client } = this;
    // ended and replaced: waiting for a connection that no longer answers would never end
    if (client)
      await this.inTurn(() => client.query(`NOTIFY ${CHANNEL}`)).catch(() => client.end().catch(() => undefined));
    this.notifying = false;
    if (this.notifyWanted) this.notifySoon();
  }
}
