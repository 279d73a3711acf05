import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { TargetPolicy } from './guarded-targets.js';
import { NameResolver } from './name-resolver.js';
import { lru } from '../kernel/lru.js';

export { isRefusedAddress } from './guarded-targets.js';

/** A request was about to go to an address that is not allowed; reported as `connection_failed`. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

/** A DNS answer is cached for its TTL, within these limits, in milliseconds. */
const REMEMBER_MS = { least: 1_000, most: 30_000, failed: 5_000 };
const MAX_CACHED = 10_000;

interface Known {
  /** Infinity while the query runs. */
  until: number;
  readonly answer: Promise<readonly LookupAddress[]>;
}

/** A `lookup` for sockets that fails with AddressRefused when any address of the name is refused. */
export class GuardedLookup {
  private readonly known = lru<string, Known>(MAX_CACHED);

  constructor(
    private readonly policy: TargetPolicy,
    private readonly resolver: Pick<NameResolver, 'resolve'> = new NameResolver(),
    /** A monotonic clock in milliseconds. */
    private readonly now = () => performance.now(),
  ) {}

  /** For hosts that are addresses already: sockets never call `lookup` for those. */
  refuses(hostname: string, port?: number): boolean {
    const bare = hostname.replace(/^\[|\]$/g, '');
    return isIP(bare) !== 0 && !this.policy.allows(bare, bare, port);
  }

  /** The same for a name: sockets call `lookup` without the port. */
  async refusesName(hostname: string, port: number): Promise<boolean> {
    if (!this.policy.looksAtPorts || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false;
    const all = await this.addresses(hostname);
    return !all.every(({ address }) => this.policy.allows(hostname, address, port));
  }

  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.addresses(hostname).then(
      (all) => {
        const fitting = options.family ? all.filter(({ family }) => family === Number(options.family)) : all;
        const first = fitting[0];
        if (first === undefined) {
          callback(Object.assign(new Error(`no address for ${hostname}`), { code: 'ENOTFOUND' }), '', 0);
        } else if (options.all) callback(null, [...fitting]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };

  private addresses(hostname: string): Promise<readonly LookupAddress[]> {
    const before = this.known.get(hostname);
    if (before !== undefined && before.until > this.now()) return before.answer;
    const asked = this.resolver.resolve(hostname);
    const answer = asked.then(({ addresses }) => this.allowed(hostname, addresses));
    const known: Known = { until: Infinity, answer };
    const keepFor = (ms: number): void => void (known.until = this.now() + ms);
    asked.then(
      ({ ttlMs }) => keepFor(Math.min(Math.max(ttlMs, REMEMBER_MS.least), REMEMBER_MS.most)),
      () => keepFor(REMEMBER_MS.failed),
    );
    answer.catch(() => undefined);
    this.known.set(hostname, known);
    return answer;
  }

  /** @throws AddressRefused */
  private allowed(hostname: string, all: readonly LookupAddress[]): readonly LookupAddress[] {
    if (all.every(({ address }) => this.policy.allows(hostname, address))) return all;
    throw new AddressRefused(`${hostname} has an address that SVC_TARGETS leaves out`);
  }
}
