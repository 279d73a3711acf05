import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4'); // IPv4-mapped IPv6 addresses match this too
LOOPBACK.addAddress('::1', 'ipv6');

/** Removes the brackets of `[::1]`; other hosts are returned unchanged. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** Whether a name or address always means this machine. */
export function isLoopback(host: string): boolean {
  const bare = withoutBrackets(host).toLowerCase().replace(/\.$/, '');
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true;
  return isInside(LOOPBACK, bare);
}

/** False for text that is not an address. */
export function isInside(list: BlockList, address: string): boolean {
  const bare = address.split('%', 1)[0] as string;
  const version = isIP(bare);
  return version !== 0 && list.check(bare, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Parses addresses and ranges (`10.0.0.0/8`, `fd00::1`) into one list.
 * @throws Error naming an entry that is neither
 */
export function addressList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) addRange(list, range);
  return list;
}

/** @throws Error for text that is neither an address nor a range */
export function addRange(list: BlockList, range: string): void {
  const [address = '', bits, ...rest] = range.split('/');
  const version = isIP(address);
  const most = version === 6 ? 128 : 32;
  const length = bits === undefined ? most : Number(bits);
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && length <= most);
  if (version === 0 || !isRange || rest.length > 0) throw new Error(`"${range}" is neither an address nor a range`);
  list.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
}

/**
 * The name or address in a `Host` header, without port and brackets; undefined when invalid. Some clients omit the
 * brackets of `[::1]`.
 */
export function hostNameOf(host: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|::1(?=:\d+$)|[^\s:/?#@[\]]+)(?::\d*)?$/i.exec(host);
  return match?.[1] === undefined ? undefined : withoutBrackets(match[1].toLowerCase().replace(/\.$/, ''));
}
