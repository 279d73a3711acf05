import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What ends each of PostgreSQL's answers: ReadyForQuery, outside a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

interface Connection {
  readonly near: Socket;
  readonly far: Socket;
  /** What the client said first: its user, database and application. */
  opening: string;
  isSilent: boolean;
  /** Silent for good. */
  isLost?: boolean;
}

/** A TCP relay in front of PostgreSQL, to simulate faults of the network and a small pooler. */
export class Relay {
  private readonly connections = new Set<Connection>();
  private held = false;
  private refuses = false;
  private sessions = Infinity;

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {
    server.on('connection', (near) => {
      if (this.refuses) return near.resetAndDestroy();
      const far = connect(Number(this.target.port || '5432'), this.target.hostname);
      const made: Connection = { near, far, opening: '', isSilent: false };
      this.connections.add(made);
      near.pipe(far).pipe(near);
      near.once('data', (chunk: Buffer) => (made.opening = chunk.toString('latin1')));
      far.on('data', (chunk: Buffer) => {
        const isLimited = this.sessions < Infinity;
        if (isLimited && chunk.subarray(-READY.length).equals(READY) && this.answering > this.sessions) silence(made);
      });
      for (const socket of [near, far]) {
        socket.on('error', () => undefined);
        socket.on('close', () => {
          if (!this.connections.delete(made)) return;
          near.destroy();
          far.destroy();
          this.admit();
        });
      }
      if (this.held) silence(made);
    });
  }

  static async to(target: string): Promise<Relay> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return new Relay(server, new URL(target));
  }

  /** The URL of `target` through this relay. */
  through(target: string): string {
    const url = new URL(target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  /** New connections lead to another server from now on. */
  lead(to: string): void {
    this.target = new URL(to);
  }

  /** Passes nothing on and closes nothing, as when packets are dropped. */
  hold(): void {
    this.held = true;
    for (const connection of this.connections) silence(connection);
  }

  /** Does so with this many of an application's connections. Returns how many it found. */
  holdSome(application: string, count: number): number {
    const its = [...this.connections].filter(
      ({ opening, isSilent }) => !isSilent && opening.includes(`application_name\0${application}\0`),
    );
    for (const connection of its.slice(0, count)) {
      connection.isLost = true;
      silence(connection);
    }
    return Math.min(its.length, count);
  }

  /**
   * From now on only this many connections have a session: like a pooler, it lets more of them in, and then does not
   * answer them until another one ends.
   */
  limitSessions(count: number): void {
    this.sessions = count;
    this.admit();
  }

  /** Closes all connections and refuses new ones, as while the server restarts. */
  refuse(): void {
    this.refuses = true;
    for (const { near, far } of this.connections) for (const socket of [near, far]) socket.destroy();
  }

  /** Closes the held connections; new ones are relayed again. */
  release(): void {
    this.held = this.refuses = false;
    for (const { near, far } of this.connections) for (const socket of [near, far]) socket.destroy();
  }

  async close(): Promise<void> {
    this.release();
    await new Promise((closed) => this.server.close(closed));
  }

  private get answering(): number {
    return [...this.connections].filter(({ isSilent }) => !isSilent).length;
  }

  private admit(): void {
    for (const connection of this.connections) {
      if (this.held || this.answering >= this.sessions) return;
      if (connection.isSilent && !connection.isLost) unsilence(connection);
    }
  }
}

function silence(connection: Connection): void {
  connection.isSilent = true;
  for (const socket of [connection.near, connection.far]) {
    socket.unpipe();
    socket.pause();
  }
}

function unsilence(connection: Connection): void {
  connection.isSilent = false;
  connection.near.pipe(connection.far).pipe(connection.near);
}
