import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP relay in front of a server, to simulate network faults. */
export class Relay {
  private readonly sockets = new Set<Socket>();
  private held = false;

  private constructor(
    private readonly server: Server,
    target: URL,
  ) {
    server.on('connection', (near) => {
      const far = connect(Number(target.port || '5432'), target.hostname);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) {
        this.sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      if (this.held) this.hold();
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

  /** Passes nothing on and closes nothing, as when packets are dropped. */
  hold(): void {
    this.held = true;
    for (const socket of this.sockets) {
      socket.unpipe();
      socket.pause();
    }
  }

  /** Closes the held connections; new ones are relayed again. */
  release(): void {
    this.held = false;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.release();
    await new Promise((closed) => this.server.close(closed));
  }
}
