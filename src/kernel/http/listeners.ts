import dns, { type LookupAddress } from 'node:dns';
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Errors for addresses that a name resolves to but this machine lacks, as ::1 in many containers. */
const UNAVAILABLE = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

const others = new WeakMap<Server, Server[]>();

/**
 * Listens and returns the port, which port 0 leaves to the system. `localhost` is every address that it resolves to, as
 * clients may try any of them; other hosts are left to the system. Fastify would give each further address a server of
 * its own, without Socket.IO and draining: here further listeners only accept connections for the one server.
 * @throws the system's error when the first available address is in use, or none is available
 */
export async function listenOn(
  fastify: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<number> {
  const server = fastify.server as Server;
  if (host !== 'localhost') {
    await fastify.listen({ port, host });
    return portOf(server);
  }
  const [first, ...rest] = await availableAddresses((await addressesOf(host)).map(({ address }) => address));
  await fastify.listen({ port, host: first as string });
  const further = rest.map((address) => acceptFor(server, address, portOf(server)));
  others.set(
    server,
    (await Promise.all(further)).filter((listener) => listener !== undefined),
  );
  server.once('close', () => closeAll(others.get(server) ?? []));
  return portOf(server);
}

/** Stops accepting, on all addresses. Resolves when the last connection has ended. */
export async function stopListening(server: Server): Promise<void> {
  const all = [server, ...(others.get(server) ?? [])];
  await Promise.all(all.map((one) => new Promise<void>((closed) => one.close(() => closed()))));
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const closeAll = (servers: readonly Server[]): void => servers.forEach((one) => one.close());

const addressesOf = (host: string): Promise<LookupAddress[]> =>
  new Promise((resolve, reject) =>
    dns.lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  );

/** The available addresses; all of them when none is, so that listening reports why. */
async function availableAddresses(addresses: string[]): Promise<string[]> {
  const present: string[] = [];
  for (const address of new Set(addresses)) if (await isPresent(address)) present.push(address);
  return present.length > 0 ? present : addresses;
}

function isPresent(address: string): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', ({ code }: NodeJS.ErrnoException) => resolve(!UNAVAILABLE.has(code ?? '')));
    probe.listen({ port: 0, host: address }, () => probe.close(() => resolve(true)));
  });
}

/** Undefined when the port is in use there: the first address is enough. */
function acceptFor(server: Server, address: string, port: number): Promise<Server | undefined> {
  const { allowHalfOpen } = server as Server & { allowHalfOpen?: boolean };
  const listener = createServer({ allowHalfOpen: allowHalfOpen ?? false, noDelay: true }, (socket) =>
    server.emit('connection', socket),
  );
  return new Promise((resolve) => {
    listener.once('error', () => resolve(undefined));
    listener.listen({ port, host: address }, () => resolve(listener));
  });
}
