import { Duplex } from 'node:stream';
import { Message, Startup, statementName, welcome, withPrefix } from './protocol.js';
import type { Session } from './session.js';

/**
 * What a `pg.Client` takes for its TCP socket. It cuts the client's bytes into batches, each up to a message that the
 * server answers at once (Sync, Query, Flush), and hands them to the one session of the embedded database.
 */
export class VirtualSocket extends Duplex {
  /** Named prepared statements that this client made, as the session knows them. */
  readonly statements = new Set<string>();
  /** Statement names carry it where another client may use the same ones: sessions are shared, names are not. */
  prefix = '';

  private started = false;
  /** Bytes of a message that has not arrived whole. */
  private rest: Buffer | null = null;
  /** Whole messages that wait for the one that ends their batch. */
  private batch: Buffer[] = [];

  constructor(private readonly session: Session) {
    super({ allowHalfOpen: false });
  }

  connect(): this {
    setImmediate(() => {
      if (!this.destroyed && this.session.admit(this)) this.emit('connect');
    });
    return this;
  }

  // Parts of net.Socket that pg calls, without a meaning inside a process.
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  override _read(): void {
    // answers are pushed as they come
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error) => void): void {
    this._writev([{ chunk }], callback);
  }

  /** pg corks a whole batch, so this usually sees all of it. */
  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error) => void): void {
    for (const { chunk } of chunks) this.scan(chunk);
    // what is kept beyond this call must not share memory with what the writer gave
    if (this.batch.length > 0) this.batch = [Buffer.concat(this.batch)];
    if (this.rest) this.rest = Buffer.from(this.rest);
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.session.release(this);
    callback(error);
  }

  private scan(chunk: Buffer): void {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    this.rest = null;
    let at = 0;
    while (at < bytes.length) {
      const lengthAt = this.started ? at + 1 : at;
      const end = bytes.length < lengthAt + 4 ? Infinity : lengthAt + bytes.readInt32BE(lengthAt);
      if (end > bytes.length) {
        this.rest = bytes.subarray(at);
        return;
      }
      const message = bytes.subarray(at, end);
      if (this.started) this.receive(message);
      else this.startUp(message);
      at = end;
    }
  }

  private startUp(message: Buffer): void {
    switch (message.readInt32BE(4)) {
      case Startup.tls:
      case Startup.gssEncryption:
        this.push('N'); // no encryption inside a process
        return;
      case Startup.cancel: // a running statement cannot be interrupted
        this.push(null);
        return;
      default:
        this.started = true;
        this.push(welcome(this.session.version, this.session.number(this)));
    }
  }

  private receive(message: Buffer): void {
    const type = message[0];
    if (type === Message.terminate) {
      this.push(null);
      return;
    }
    this.batch.push(this.named(message));
    if (type === Message.flush) this.send(false);
    else if (type === Message.sync || type === Message.query || type === Message.functionCall) this.send(true);
  }

  /** Gives a prepared statement the name under which the session knows it. */
  private named(message: Buffer): Buffer {
    const name = statementName(message);
    if (name === null) return message;
    if (message[0] === Message.parse) this.statements.add(this.prefix + name);
    return this.prefix === '' ? message : withPrefix(message, this.prefix);
  }

  private send(complete: boolean): void {
    this.session.run(this, this.batch, complete);
    this.batch = [];
  }
}
