import { connect, type Socket } from 'node:net';

/** A request whose body does not arrive completely. */
export interface Unfinished {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** What is sent of the body. */
  readonly start?: Buffer | string;
  /** The length that its head declares; undefined: none, it comes in chunks. */
  readonly length: number | undefined;
}

export interface RawAnswer {
  readonly status: number;
  /** The answer as it came. */
  readonly text: string;
}

/** A connection on which such a request was sent. */
export class UnfinishedRequest {
  private text = '';
  private hasFailed = false;
  private readonly closed: Promise<void>;
  private hear!: () => void;
  private readonly heard = new Promise<void>((resolve) => (this.hear = resolve));

  private constructor(private readonly socket: Socket) {
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    socket.setEncoding('utf8');
    socket.on('error', () => (this.hasFailed = true));
    socket.on('data', (chunk: string) => {
      this.text += chunk;
      if (/\r\n\r\n[^]/.test(this.text)) this.hear();
    });
    void this.closed.then(() => this.hear());
  }

  /** Resolves when all of `start` has left this process, or the connection ended. */
  static async send(
    baseUrl: string,
    { path, method = 'POST', headers = {}, start = '', length }: Unfinished,
  ): Promise<UnfinishedRequest> {
    const { hostname, port } = new URL(baseUrl);
    const socket = connect(Number(port), hostname);
    const request = new UnfinishedRequest(socket);
    const declared: Record<string, string> = length === undefined ? {} : { 'content-length': String(length) };
    const lines = { host: 'localhost', ...declared, ...headers };
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n`);
    await Promise.race([
      new Promise<void>((written) => socket.write(start === '' ? Buffer.alloc(0) : start, () => written())),
      request.closed,
    ]);
    return request;
  }

  /** The answer that arrives although the body does not. Status 0: the connection ended without one. */
  async answer(): Promise<RawAnswer> {
    await this.heard;
    return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(this.text)?.[1] ?? 0), text: this.text };
  }

  /** How the server ended the connection: by a reset, or when it had read everything. */
  async ended(): Promise<'in order' | 'reset'> {
    await this.closed;
    return this.hasFailed ? 'reset' : 'in order';
  }

  /** The rest of the body. */
  finish(rest: Buffer | string): void {
    this.socket.write(rest);
  }

  end(): void {
    this.socket.destroy();
  }
}

/** Sends such a request and ends its connection with the answer. */
export async function answerToUnfinished(baseUrl: string, request: Unfinished): Promise<RawAnswer> {
  const sent = await UnfinishedRequest.send(baseUrl, request);
  try {
    return await sent.answer();
  } finally {
    sent.end();
  }
}
