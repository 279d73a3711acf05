import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client';
import { afterEach } from 'vitest';
import type { TestApp } from './app.js';
import { eventually } from './receiver.js';

export interface Heard {
  name: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of events freely
  data: any;
}

type Options = Partial<ManagerOptions & SocketOptions>;

const open = new Set<Socket>();
afterEach(() => {
  for (const socket of open) socket.disconnect();
  open.clear();
});

/** A client of the realtime API that collects all events. It is closed after the test. */
export class Listener {
  readonly heard: Heard[] = [];
  /** The reason of the disconnect, from the server or the client. */
  ended: string | undefined;

  private constructor(readonly socket: Socket) {
    open.add(socket);
    socket.onAny((name: string, ...args: unknown[]) => {
      if (args.length !== 1) throw new Error(`${name} came with ${args.length} arguments`);
      this.heard.push({ name, data: args[0] });
    });
    socket.on('disconnect', (reason) => (this.ended = reason));
  }

  /** Resolves once connected. @throws an Error whose message is the error code of the refusal */
  static async connect(app: { baseUrl: string }, auth: object, options: Options = {}): Promise<Listener> {
    const listener = new Listener(
      io(app.baseUrl, { auth, forceNew: true, reconnection: false, transports: ['websocket'], ...options }),
    );
    await new Promise<void>((resolve, reject) => {
      listener.socket.once('connect', resolve);
      listener.socket.once('connect_error', reject);
    });
    return listener;
  }

  /** The error code with which a handshake is refused. */
  static async refusal(app: { baseUrl: string }, auth: object): Promise<string> {
    return Listener.connect(app, auth).then(
      () => 'nothing: it was let in',
      (error: Error) => error.message,
    );
  }

  /** The names of the received events, in order. */
  get names(): string[] {
    return this.heard.map(({ name }) => name);
  }

  /** The texts of received messages, in order. */
  get texts(): string[] {
    return this.of('message').map((data) => (data as { text: string }).text);
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  of(name: string): any[] {
    return this.heard.filter((heard) => heard.name === name).map(({ data }) => data as unknown);
  }

  /** Waits for a message with this text, and answers the events received so far. */
  async until(text: string, withinMs?: number): Promise<Heard[]> {
    const what = `a message "${text}"; heard: ${JSON.stringify(this.heard)}`;
    await eventually(() => this.texts.includes(text), what, withinMs);
    return this.heard;
  }

  async untilHeard(name: string, count = 1): Promise<Heard[]> {
    await eventually(() => this.of(name).length >= count, `${count} of ${name}; heard: ${JSON.stringify(this.names)}`);
    return this.heard;
  }

  /** Waits for the disconnect and answers its reason. */
  async end(): Promise<string> {
    await eventually(() => this.ended !== undefined, 'the end of a connection');
    return this.ended as string;
  }

  /** Sends a request and answers its acknowledgement. */
  ask(name: string, ...args: unknown[]): Promise<unknown> {
    return this.socket.timeout(5_000).emitWithAck(name, ...args);
  }
}

/** Connects with the token of a client. */
export const listen = (client: { app: TestApp; token: string }, options?: Options): Promise<Listener> =>
  Listener.connect(client.app, { token: client.token }, options);
