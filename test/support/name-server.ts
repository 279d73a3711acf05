import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** Addresses of a name with their TTL in seconds; `hang` never answers. A missing name does not exist. */
export type Zone = Readonly<Record<string, { readonly ttl: number; readonly addresses: readonly string[] } | 'hang'>>;

/** A DNS server on loopback, stopped with the spec file. */
export interface NameServer {
  /** In the form of `Resolver.setServers`. */
  readonly address: string;
  /** The names of queries for A records, in order. */
  readonly asked: string[];
}

const A = 1;
const POINTER_TO_QUESTION = 0xc00c;

/** Answers A records of the zone; AAAA records are empty. */
export async function nameServer(zone: Zone): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    if (type === A) asked.push(name);
    const found = zone[name];
    if (found === 'hang') return;
    const records = found && type === A ? found.addresses : [];
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(found ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    const answers = records.map((address) => {
      const record = Buffer.alloc(16);
      record.writeUInt16BE(POINTER_TO_QUESTION, 0);
      record.writeUInt16BE(A, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt32BE(found?.ttl ?? 0, 6);
      record.writeUInt16BE(4, 10);
      for (const [i, part] of address.split('.').entries()) record.writeUInt8(Number(part), 12 + i);
      return record;
    });
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answers]), from.port, from.address);
  });
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  afterAll(() => new Promise<void>((closed) => socket.close(closed)));
  return { address: `127.0.0.1:${(socket.address() as AddressInfo).port}`, asked };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}
