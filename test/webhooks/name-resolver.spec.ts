import type { lookup } from 'node:dns';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { GuardedLookup } from '../../src/webhooks/guarded-lookup.js';
import { TargetPolicy } from '../../src/webhooks/guarded-targets.js';
import { NameResolver } from '../../src/webhooks/name-resolver.js';
import { nameServer, type NameServer } from '../support/name-server.js';
import { scratchFolder } from '../support/scratch.js';

const HANGING = Array.from({ length: 100 }, (_, i) => `hanging${i}.test`);

/** docs/reference/limits.md#lanes */
describe('host names of targets', () => {
  const folder = scratchFolder();
  const files = { hostsFile: join(folder, 'hosts'), resolverFile: join(folder, 'resolv.conf') };
  /** A name that only the system resolver knows. */
  const system = ((name: string, _: object, done: (error: Error | null, all?: object[]) => void) =>
    name === 'printer.local'
      ? done(null, [{ address: '192.0.2.9', family: 4 }])
      : done(Object.assign(new Error(name), { code: 'ENOTFOUND' }))) as unknown as typeof lookup;
  // a clock of its own: the server that other specs share in this process must not see it jump
  let aheadMs = 0;
  const now = (): number => performance.now() + aheadMs;
  const later = (ms: number): void => void (aheadMs += ms);
  let server: NameServer;
  let resolver: NameResolver;

  beforeAll(async () => {
    await writeFile(files.hostsFile, '127.0.0.1 localhost\n10.1.1.1 app.internal app # a comment\n::9 app.internal\n');
    await writeFile(files.resolverFile, 'search ns.svc.test svc.test\noptions ndots:2\n');
    server = await nameServer({
      'short.test': { ttl: 0, addresses: ['10.0.0.1'] },
      'minute.test': { ttl: 60, addresses: ['10.0.0.2', '10.0.0.3'] },
      'hour.test': { ttl: 3_600, addresses: ['10.0.0.4'] },
      'web.svc.test': { ttl: 60, addresses: ['10.0.0.5'] },
      'a.b.example': { ttl: 60, addresses: ['10.0.0.6'] },
      ...Object.fromEntries(HANGING.map((name) => [name, 'hang' as const])),
    });
    resolver = new NameResolver({ ...files, servers: [server.address], system, now });
  });

  const addressesOf = async (name: string): Promise<string[]> =>
    (await resolver.resolve(name)).addresses.map(({ address }) => address);

  it('are looked up in the hosts file, then with the search domains, then by the system', async () => {
    expect(await addressesOf('app')).toEqual(['10.1.1.1']);
    expect(await addressesOf('APP.internal')).toEqual(['10.1.1.1', '::9']);
    expect(await addressesOf('x.localhost')).toEqual(['127.0.0.1', '::1']);
    expect(await addressesOf('minute.test.')).toEqual(['10.0.0.2', '10.0.0.3']);
    const from = server.asked.length;
    expect(await addressesOf('web')).toEqual(['10.0.0.5']);
    expect(await addressesOf('a.b.example')).toEqual(['10.0.0.6']);
    expect(server.asked.slice(from)).toEqual(['web.ns.svc.test', 'web.svc.test', 'a.b.example']);
    expect(await addressesOf('printer.local')).toEqual(['192.0.2.9']);
    await expect(addressesOf('nowhere.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('follow changes of the hosts file', async () => {
    const own = new NameResolver({ ...files, servers: [server.address], system, now });
    await expect(own.resolve('late.internal')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await writeFile(files.hostsFile, `${await readFile(files.hostsFile, 'utf8')}10.1.1.2 late.internal\n`);
    later(5_001);
    expect((await own.resolve('late.internal')).addresses).toEqual([{ address: '10.1.1.2', family: 4 }]);
  });

  it('are cached as long as their record says, at most 30 s', async () => {
    const names = new GuardedLookup(new TargetPolicy('any', false), resolver, now);
    const ask = (name: string): Promise<string> =>
      new Promise((resolve) => names.lookup(name, {}, (error, found) => resolve(error?.code ?? String(found))));
    const asked = (name: string): number => server.asked.filter((one) => one === name).length;
    for (const [name, address, elsewhere] of [
      ['short.test', '10.0.0.1', 2_000],
      ['hour.test', '10.0.0.4', 31_000],
    ] as const) {
      for (let i = 0; i < 3; i++) expect(await ask(name)).toBe(address);
      expect(asked(name), name).toBe(1);
      later(elsewhere);
      expect(await ask(name)).toBe(address);
      expect(asked(name), name).toBe(2);
    }
    await ask('minute.test');
    const before = asked('minute.test');
    later(29_000);
    await ask('minute.test');
    expect(asked('minute.test')).toBe(before);
  });

  it('time out after 1 s and delay neither other names nor the file system', async () => {
    const started = performance.now();
    let givenUp = 0;
    const hanging = HANGING.map((name) =>
      resolver
        .resolve(`${name}.`)
        .catch((error: { code: string }) => error.code)
        .finally(() => givenUp++),
    );
    expect(await addressesOf('hour.test.')).toEqual(['10.0.0.4']);
    await readFile(files.hostsFile);
    expect(givenUp).toBe(0);
    expect(new Set(await Promise.all(hanging))).toEqual(new Set(['ETIMEOUT']));
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
