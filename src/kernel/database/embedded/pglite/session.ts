import { closeStatement, query, sync } from './protocol.js';

/** A client's socket, as the session uses it. */
export interface SessionClient {
  /** Named prepared statements that the client made, under their names in the session. */
  readonly statements: ReadonlySet<string>;
  /** Prefix of statement names, needed when another client may use the same ones. */
  prefix: string;
  readonly destroyed: boolean;
  push(chunk: Buffer): boolean;
  destroy(error?: Error): unknown;
}

interface Batch {
  /** Null: housekeeping of the session itself, whose answer is discarded. */
  readonly socket: SessionClient | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the server ends it with ReadyForQuery. */
  readonly complete: boolean;
  readonly done?: () => void;
}

/**
 * The embedded database has one session, which this class shares among any number of clients. Batches run one after
 * another. A client inside a transaction, or in an extended query without its Sync, keeps the session: the others wait.
 * Settings, temporary tables and advisory locks are shared by design.
 */
export class Session {
  version = '';
  private readonly waiting: Batch[] = [];
  private running: Batch | null = null;
  private owner: SessionClient | null = null;
  /** Connected clients by number; the lowest free number is assigned next. */
  private readonly sockets: (SessionClient | null)[] = [];
  private ended: Error | null = null;

  /** @param post sends one batch to the worker; the buffer's memory is transferred */
  constructor(private readonly post: (bytes: Uint8Array<ArrayBuffer>) => void) {}

  /** Admits a client, or destroys its socket when the database is gone. */
  admit(socket: SessionClient): boolean {
    if (this.ended) {
      socket.destroy(this.ended);
      return false;
    }
    const free = this.sockets.indexOf(null);
    const number = free < 0 ? this.sockets.length : free;
    this.sockets[number] = socket;
    // The only client of a pool of one has number 0, and its messages are not changed.
    socket.prefix = number === 0 ? '' : `${number}:`;
    return true;
  }

  number(socket: SessionClient): number {
    return this.sockets.indexOf(socket);
  }

  run(socket: SessionClient, messages: Buffer[], complete: boolean): void {
    if (this.ended) socket.destroy(this.ended);
    else this.enqueue({ socket, bytes: joined(messages), complete });
  }

  /**
   * Runs housekeeping statements between two transactions; resolves when they have run, or never if the worker dies.
   */
  maintain(...statements: string[]): Promise<void> {
    if (this.ended) return Promise.reject(this.ended);
    return new Promise((done) => {
      this.enqueue({ socket: null, bytes: joined(statements.map(query)), complete: true, done });
    });
  }

  /**
   * A client has disconnected: its transaction is rolled back and its prepared statements are closed before anything
   * else runs.
   */
  release(socket: SessionClient): void {
    const number = this.sockets.indexOf(socket);
    if (number < 0) return;
    this.sockets[number] = null;
    for (let i = this.waiting.length - 1; i >= 0; i--)
      if (this.waiting[i]?.socket === socket) this.waiting.splice(i, 1);
    if (this.ended) return;

    // Sync ends an unfinished extended query. ROLLBACK outside a transaction is just a warning, and this batch never
    // runs inside another client's.
    const messages = [sync(), query('ROLLBACK')];
    if (this.sockets.every((other) => other === null)) messages.push(query('DISCARD ALL'));
    else messages.push(...[...socket.statements].map(closeStatement), sync());
    this.waiting.unshift({ socket: null, bytes: joined(messages), complete: true });
    if (this.owner === socket) this.owner = null;
    this.next();
  }

  /** A part of the running batch's answer. */
  part(bytes: Uint8Array): void {
    const socket = this.running?.socket;
    if (socket && bytes.length > 0 && !socket.destroyed) {
      socket.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    }
  }

  /** The running batch has ended. `idle`: the session is outside any transaction. */
  done(idle: boolean): void {
    const batch = this.running;
    this.running = null;
    if (batch?.socket) {
      const free = batch.complete && idle;
      this.owner = free || this.ended || this.number(batch.socket) < 0 ? null : batch.socket;
    }
    batch?.done?.();
    this.next();
  }

  /**
   * Disconnects every client; later ones get `error`, and with `broken` the current ones get it too (otherwise their
   * connections just close, as with a server that stops). Resolves when the running batch has ended and a transaction
   * that it left open is rolled back, or never if the worker is dead.
   */
  end(error: Error, broken: boolean): Promise<void> {
    this.ended ??= error;
    this.waiting.length = 0;
    this.owner = null;
    for (const socket of this.sockets) socket?.destroy(broken ? error : undefined);
    return new Promise((done) => {
      this.enqueue({ socket: null, bytes: joined([sync(), query('ROLLBACK')]), complete: true, done });
    });
  }

  private enqueue(batch: Batch): void {
    this.waiting.push(batch);
    this.next();
  }

  private next(): void {
    if (this.running) return;
    const index = this.owner ? this.waiting.findIndex((batch) => batch.socket === this.owner) : 0;
    const batch = this.waiting[index];
    if (!batch) return;
    this.waiting.splice(index, 1);
    this.running = batch;
    this.post(batch.bytes);
  }
}

/** One buffer with memory of its own, so that it can be transferred to the worker instead of copied. */
function joined(messages: Buffer[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const message of messages) length += message.length;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const message of messages) {
    bytes.set(message, at);
    at += message.length;
  }
  return bytes;
}
