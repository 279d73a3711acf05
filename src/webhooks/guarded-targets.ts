import { networkInterfaces } from 'node:os';
import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressList, isInside, withoutBrackets } from '../kernel/config/addresses.js';
import type { TargetRule, Targets } from '../kernel/config/safety-settings.js';

/** Link-local and metadata addresses: whoever reaches them may get a machine's credentials. */
const NEVER = addressList([
  '169.254.0.0/16',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fe80::/10',
  'fd00:ec2::254',
  'fd20:ce::254',
]);

const OWN = addressList(['127.0.0.0/8', '0.0.0.0/8', '::1', '::']);

const bareOf = (address: string): string => withoutBrackets(address).split('%', 1)[0] as string;

/** The address itself, and the IPv4 addresses that a gateway would translate it to. */
function notationsOf(address: string): string[] {
  const bare = bareOf(address);
  if (isIP(bare) !== 6) return [bare]; // a name is not an address and in no list
  const { parts } = ipaddr.parse(bare) as ipaddr.IPv6;
  const part = (index: number): number => parts[index] ?? 0;
  const ipv4 = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');
  const last = ipv4(part(6), part(7));
  const found = [bare];
  const begins = (...groups: number[]): boolean => groups.every((group, i) => part(i) === group);
  if (begins(0, 0, 0, 0, 0, 0) || begins(0, 0, 0, 0, 0, 0xffff)) found.push(last); // compatible, mapped
  if (begins(0, 0, 0, 0, 0xffff, 0)) found.push(last); // translated
  if (begins(0x64, 0xff9b, 0, 0, 0, 0)) found.push(last); // NAT64
  if (begins(0x64, 0xff9b, 1)) {
    // NAT64 with a prefix of its own, of 96 or of 48 bits
    found.push(last, ipv4(part(3), ((part(4) & 255) << 8) | (part(5) >> 8)));
  }
  if (begins(0x2002)) found.push(ipv4(part(1), part(2))); // 6to4
  if (begins(0x2001, 0)) found.push(ipv4(part(2), part(3)), ipv4(part(6) ^ 0xffff, part(7) ^ 0xffff)); // Teredo
  return found;
}

const isAnyOf = (list: BlockList, address: string): boolean => notationsOf(address).some((one) => isInside(list, one));

/** Link-local and metadata addresses (docs/reference/control-plane.md#outgoing-webhooks), in all their forms. */
export const isRefusedAddress = (address: string): boolean => isAnyOf(NEVER, address);

/** The destinations that apps' URLs may have (SVC_TARGETS, SVC_ALLOW_LINK_LOCAL). */
export class TargetPolicy {
  constructor(
    private readonly targets: Targets,
    private readonly allowLinkLocal: boolean,
  ) {}

  /** Whether a connection to this address is allowed for a URL with `host`; both are the same for a bare address. */
  allows(host: string, address: string, port?: number): boolean {
    if (!this.allowLinkLocal && isRefusedAddress(address)) return false;
    if (this.targets === 'any') return true;
    if (this.targets === 'cluster') return !isAnyOf(OWN, address) && !isInterface(address);
    return this.targets.some((rule) => matches(rule, bareOf(host).toLowerCase().replace(/\.$/, ''), address, port));
  }

  /** Only lists check ports and names. */
  get looksAtPorts(): boolean {
    return typeof this.targets === 'object';
  }
}

function matches(rule: TargetRule, host: string, address: string, port: number | undefined): boolean {
  if (rule.port !== undefined && port !== undefined && rule.port !== port) return false;
  if ('addresses' in rule) return isInside(rule.addresses, bareOf(address));
  return 'host' in rule ? host === rule.host : host.endsWith(rule.suffix) && host.length > rule.suffix.length;
}

function isInterface(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((one) => bareOf(one.address)));
  return isAnyOf(addressList(own), address);
}
