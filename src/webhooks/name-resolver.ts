import { lookup as systemLookup, Resolver, type LookupAddress, type RecordWithTtl } from 'node:dns';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';

/** The longest that an answer may take, in milliseconds. */
const LIMIT_MS = 1_000;
/** How long to wait for one address family when the other one has answered. */
const OTHER_FAMILY_MS = 100;
/** How long the system's files are cached. */
const FILES_FRESH_MS = 5_000;
/** The lifetime of an answer without a TTL. */
const DEFAULT_TTL_MS = 10_000;

export interface NamedAddresses {
  readonly addresses: readonly LookupAddress[];
  readonly ttlMs: number;
}

export interface ResolverOptions {
  readonly hostsFile?: string;
  /** Search domains are read from here, and name servers unless they are given. */
  readonly resolverFile?: string;
  readonly servers?: readonly string[];
  readonly system?: typeof systemLookup;
  /** A monotonic clock in milliseconds, for how long the system's files are cached. */
  readonly now?: () => number;
}

interface SystemFiles {
  readonly readAt: number;
  readonly stamp: string;
  readonly hosts: ReadonlyMap<string, LookupAddress[]>;
  readonly search: readonly string[];
  readonly dots: number;
}

/**
 * Resolves names as the system would (hosts file, search domains), but on sockets of its own: the system's call blocks
 * a thread of the pool that file access needs, for as long as a name server takes.
 */
export class NameResolver {
  private readonly dns = new Resolver({ timeout: LIMIT_MS, tries: 1 });
  private readonly hostsFile: string;
  private readonly resolverFile: string;
  private readonly system: typeof systemLookup;
  private readonly now: () => number;
  private files: Promise<SystemFiles> | undefined;
  private asking: Promise<unknown> | undefined;

  constructor({
    hostsFile = '/etc/hosts',
    resolverFile = '/etc/resolv.conf',
    servers,
    system = systemLookup,
    now = () => performance.now(),
  }: ResolverOptions = {}) {
    this.hostsFile = hostsFile;
    this.resolverFile = resolverFile;
    this.system = system;
    this.now = now;
    if (servers) this.dns.setServers(servers);
  }

  /** @throws with a code: ENOTFOUND, ETIMEOUT, or what a name server answered */
  async resolve(hostname: string): Promise<NamedAddresses> {
    const name = hostname.toLowerCase();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, fail) => {
      timer = setTimeout(() => fail(failure('ETIMEOUT', hostname)), LIMIT_MS);
    });
    try {
      return await Promise.race([this.find(name), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  private async find(name: string): Promise<NamedAddresses> {
    const bare = name.replace(/\.$/, '');
    const { hosts, search, dots } = await this.readFiles();
    const known = hosts.get(bare) ?? loopbackOf(bare);
    if (known) return { addresses: known, ttlMs: FILES_FRESH_MS };
    let failed: NodeJS.ErrnoException | undefined;
    for (const candidate of candidates(name, search, dots)) {
      try {
        const found = await this.query(candidate);
        if (found) return found;
      } catch (error) {
        failed = error as NodeJS.ErrnoException;
      }
    }
    // without a name server there may be other sources of names
    if (failed && failed.code !== 'ECONNREFUSED') throw failed;
    return this.askSystem(bare);
  }

  /** Null: the name does not exist, or has no address. */
  private query(name: string): Promise<NamedAddresses | null> {
    return new Promise((resolve, reject) => {
      const found: { address: string; family: number; ttl: number }[] = [];
      let open = 2;
      let failed: NodeJS.ErrnoException | undefined;
      const settle = (): void => {
        open = 0;
        clearTimeout(timer);
        if (found.length > 0) {
          const ttlMs = Math.min(...found.map(({ ttl }) => ttl)) * 1_000;
          const addresses = found.map(({ address, family }) => ({ address, family }));
          resolve({ addresses: addresses.toSorted((a, b) => a.family - b.family), ttlMs });
        } else if (failed) reject(failed);
        else resolve(null);
      };
      let timer: NodeJS.Timeout | undefined;
      const answered =
        (family: number) =>
        (error: NodeJS.ErrnoException | null, records: RecordWithTtl[] = []): void => {
          if (open === 0) return;
          for (const { address, ttl } of records) found.push({ address, family, ttl });
          if (error && error.code !== 'ENOTFOUND' && error.code !== 'ENODATA') failed = error;
          open--;
          if (open === 0) settle();
          else if (found.length > 0) timer = setTimeout(settle, OTHER_FAMILY_MS);
        };
      this.dns.resolve4(name, { ttl: true }, answered(4));
      this.dns.resolve6(name, { ttl: true }, answered(6));
    });
  }

  /**
   * Names that only the system can resolve (of the local network, other sources), one at a time: it blocks a thread.
   */
  private async askSystem(name: string): Promise<NamedAddresses> {
    const giveUpAt = performance.now() + LIMIT_MS;
    while (this.asking) await this.asking;
    if (performance.now() > giveUpAt) throw failure('ETIMEOUT', name);
    const asked = new Promise<LookupAddress[]>((resolve, reject) =>
      this.system(name, { all: true }, (error, all) => (error ? reject(error) : resolve(all))),
    );
    const over = asked.then(
      () => undefined,
      () => undefined,
    );
    this.asking = over;
    void over.then(() => (this.asking = undefined));
    const addresses = await asked;
    if (addresses.length === 0) throw failure('ENOTFOUND', name);
    return { addresses, ttlMs: DEFAULT_TTL_MS };
  }

  private async readFiles(): Promise<SystemFiles> {
    const before = await this.files?.catch(() => undefined);
    const now = this.now();
    if (before && before.readAt > now - FILES_FRESH_MS) return before;
    this.files = this.readAnew(before, now);
    return this.files;
  }

  private async readAnew(before: SystemFiles | undefined, readAt: number): Promise<SystemFiles> {
    const stamp = (await Promise.all([this.hostsFile, this.resolverFile].map(stampOf))).join(' ');
    if (before?.stamp === stamp) return { ...before, readAt };
    const [hosts, resolver] = await Promise.all([this.hostsFile, this.resolverFile].map(textOf));
    return { readAt, stamp, hosts: readHosts(hosts as string), ...readResolver(resolver as string) };
  }
}

const failure = (code: string, name: string): Error => Object.assign(new Error(`${code} ${name}`), { code });

const stampOf = async (path: string): Promise<string> => {
  const found = await stat(path).catch(() => undefined);
  return found ? `${found.mtimeMs}/${found.size}/${found.ino}` : '-';
};

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');

/** `localhost` and names below it are this machine, with or without an entry in the hosts file. */
const loopbackOf = (name: string): LookupAddress[] | undefined =>
  name === 'localhost' || name.endsWith('.localhost')
    ? [
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]
    : undefined;

function readHosts(text: string): Map<string, LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((one) => one.toLowerCase())) {
      const there = hosts.get(name);
      if (there) there.push({ address, family });
      else hosts.set(name, [{ address, family }]);
    }
  }
  return hosts;
}

function readResolver(text: string): { search: readonly string[]; dots: number } {
  let search: readonly string[] = [];
  let dots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line.trim().split(/\s+/);
    if (keyword === 'search' || keyword === 'domain') search = values;
    if (keyword !== 'options') continue;
    for (const option of values) if (option.startsWith('ndots:')) dots = Number(option.slice(6)) || 0;
  }
  return { search, dots: Math.min(dots, 15) };
}

/** The names to query, in the order of resolv.conf(5). */
function candidates(name: string, search: readonly string[], dots: number): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const searched = search.map((domain) => `${name}.${domain.replace(/\.$/, '')}`);
  const isLong = name.split('.').length - 1 >= dots;
  return isLong ? [name, ...searched] : [...searched, name];
}
