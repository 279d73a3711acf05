import { Duplex } from 'node:stream';
import { Message, Startup, statementName, welcome, withPrefix } from './protocol.js';
import type { Session } from './session.js';

/**
 * Takes the place of the TCP socket of a `pg.Client`. It cuts the client's bytes into batches, each up to a message
 * that the server answers at once (Sync, Query, Flush), and passes them to the one session of the embedded database.
 */
export class VirtualSocket extends Duplex {
  /** Named prepared statements that this client made, under their names in the session. */
  readonly statements = new Set<string>();
  /**
   * Prefix of statement names, needed when another client may use the same ones: the session is shared, the names are
   * not.
   */
  prefix = '';

  private started = false;
  /** Bytes of an incomplete message. */
  private rest: Buffer | null = null;
  /** Complete messages waiting for the one that ends their batch. */
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

  // Parts of net.Socket that pg calls and that have no meaning inside a process.
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
    // answers are pushed as they arrive
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error) => void): void {
    this._writev([{ chunk }], callback);
  }

  /** pg corks a whole batch, so this usually receives all of it. */
  override _writev(chunks: { chunk: Buffer }[], callback: (error?: Error) => void): void {
    for (const { chunk } of chunks) this.scan(chunk);
    // data kept beyond this call must not share memory with the caller's buffer
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
      case Startup.cancel: // a running statement cannot be cancelled
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

  /** Renames a prepared statement to its name in the session. */
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
