import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** A request was about to go where it must not; told as `connection_failed`. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

const refused = new BlockList();
refused.addSubnet('169.254.0.0', 16, 'ipv4'); // IPv4-mapped IPv6 is matched by this too
refused.addSubnet('fe80::', 10, 'ipv6');
refused.addAddress('fd00:ec2::254', 'ipv6');
// other spellings of 169.254.0.0/16 that a gateway may undo: NAT64, 6to4, IPv4-compatible
refused.addSubnet('64:ff9b::a9fe:0', 112, 'ipv6');
refused.addSubnet('2002:a9fe::', 32, 'ipv6');
refused.addSubnet('::a9fe:0', 112, 'ipv6');

/** Link-local and metadata addresses (messaging.md E.5). */
export const isRefusedAddress = (address: string): boolean => {
  const bare = address.split('%')[0] as string;
  return refused.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
};

/** How long an answer of the resolver, good or bad, is used again, in milliseconds. */
const REMEMBER_MS = 10_000;
const REMEMBER_MOST = 1_000;
/**
 * The resolver blocks a thread of the pool that file access and password hashing use too; names that hang must not
 * take them all (there are four).
 */
const LOOKUPS_AT_ONCE = 2;

interface Known {
  readonly until: number;
  readonly answer: Promise<LookupAddress[]>;
}

/** A `lookup` for sockets that fails with AddressRefused when any address of the name is refused. */
export class GuardedLookup {
  private readonly known = new Map<string, Known>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(
    private readonly allowLinkLocal: boolean,
    private readonly resolve: typeof systemLookup = systemLookup,
  ) {}

  /** For hosts that are addresses already: sockets never ask `lookup` about those. */
  refuses(hostname: string): boolean {
    const bare = hostname.replace(/^\[|\]$/g, '');
    return !this.allowLinkLocal && isIP(bare) !== 0 && isRefusedAddress(bare);
  }

  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.addresses(hostname).then(
      (all) => {
        const fitting = options.family ? all.filter(({ family }) => family === Number(options.family)) : all;
        const first = fitting[0];
        if (first === undefined) {
          callback(Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' }), '', 0);
        } else if (options.all) callback(null, fitting);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };

  private addresses(hostname: string): Promise<LookupAddress[]> {
    const now = performance.now();
    const known = this.known.get(hostname);
    if (known !== undefined && known.until > now) return known.answer;
    if (this.known.size >= REMEMBER_MOST) this.known.clear();
    const answer = this.ask(hostname);
    answer.catch(() => undefined);
    this.known.set(hostname, { until: now + REMEMBER_MS, answer });
    return answer;
  }

  private async ask(hostname: string): Promise<LookupAddress[]> {
    if (this.running >= LOOKUPS_AT_ONCE) await new Promise<void>((go) => this.waiting.push(go));
    this.running++;
    try {
      const all = await new Promise<LookupAddress[]>((done, fail) =>
        this.resolve(hostname, { all: true }, (error, addresses) => (error ? fail(error) : done(addresses))),
      );
      if (!this.allowLinkLocal && all.some(({ address }) => isRefusedAddress(address))) {
        throw new AddressRefused(`${hostname} has a link-local address`);
      }
      return all;
    } finally {
      this.running--;
      this.waiting.shift()?.();
    }
  }
}
