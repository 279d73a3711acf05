import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** The interval of the readiness probes in milliseconds. */
const PROBE_MS = 100;

interface Replica {
  readonly url: URL;
  ready: boolean;
}

/**
 * A load balancer like that of a cluster: round robin, or one replica per client address (`sessionAffinity:
 * ClientIP`). It probes the readiness of each replica and skips those that are not ready. It never retries, so the
 * client sees every failure of a replica.
 */
export class Balancer {
  private readonly agent = new Agent({ keepAlive: true });
  private readonly assigned = new Map<string, Replica>();
  private replicas: Replica[] = [];
  private next = 0;
  private probing: NodeJS.Timeout | undefined;

  private constructor(
    private readonly server: Server,
    private readonly byAddress: boolean,
  ) {
    server.on('request', (incoming, reply) => this.forward(incoming, reply));
    server.on('upgrade', (incoming, socket, head) => this.upgrade(incoming, socket, head));
  }

  static async start(replicas: string[], options: { byAddress?: boolean } = {}): Promise<Balancer> {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const balancer = new Balancer(server, options.byAddress ?? false);
    for (const replica of replicas) await balancer.add(replica);
    balancer.probeLater();
    return balancer;
  }

  /** Without a trailing slash. */
  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async add(url: string): Promise<void> {
    const replica = { url: new URL(url), ready: false };
    await probe(replica);
    this.replicas.push(replica);
  }

  remove(url: string): void {
    this.replicas = this.replicas.filter((replica) => replica.url.host !== new URL(url).host);
  }

  /** The replica of a client address, with session affinity. */
  replicaOf(address: string): string | undefined {
    return this.assigned.get(address)?.url.origin;
  }

  async close(): Promise<void> {
    clearTimeout(this.probing);
    this.agent.destroy();
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private probeLater(): void {
    this.probing = setTimeout(() => {
      void Promise.all(this.replicas.map(probe)).then(() => this.probeLater());
    }, PROBE_MS);
  }

  private choose(incoming: IncomingMessage): Replica | undefined {
    const ready = this.replicas.filter((replica) => replica.ready);
    const address = incoming.socket.remoteAddress ?? '';
    const kept = this.assigned.get(address);
    if (this.byAddress && kept && ready.includes(kept)) return kept;
    const chosen = ready[this.next++ % ready.length];
    if (this.byAddress && chosen) this.assigned.set(address, chosen);
    return chosen;
  }

  private passOn(incoming: IncomingMessage, agent: Agent | false): ReturnType<typeof request> | undefined {
    const replica = this.choose(incoming);
    if (!replica) return undefined;
    const { hostname, port } = replica.url;
    const { method, url: path, headers } = incoming;
    return request({ hostname, port, method, path, headers, agent });
  }

  private forward(incoming: IncomingMessage, reply: ServerResponse): void {
    const onward = this.passOn(incoming, this.agent);
    if (!onward) return void reply.writeHead(502).end('no replica is ready');
    onward.on('response', (answer) => {
      // hop-by-hop headers are not passed on to the client
      const { connection: _, 'keep-alive': __, ...headers } = answer.headers;
      reply.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(reply);
    });
    onward.on('error', (error) => {
      if (!reply.headersSent) reply.writeHead(502);
      reply.end(error.message);
    });
    reply.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }

  private upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const onward = this.passOn(incoming, false);
    socket.on('error', () => onward?.destroy());
    if (!onward) return void socket.destroy();
    onward.on('error', () => socket.destroy());
    onward.on('response', () => socket.destroy());
    onward.on('upgrade', (answer, far, farHead) => {
      const lines = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`);
      if (farHead.length > 0) socket.write(farHead);
      if (head.length > 0) far.write(head);
      far.on('error', () => socket.destroy());
      far.on('close', () => socket.destroy());
      socket.on('close', () => far.destroy());
      far.pipe(socket).pipe(far);
    });
    onward.end();
  }
}

async function probe(replica: Replica): Promise<void> {
  replica.ready = await fetch(new URL('/api/health/ready', replica.url)).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status === 200;
    },
    () => false,
  );
}
