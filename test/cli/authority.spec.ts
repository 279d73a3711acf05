import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import tls from 'node:tls';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { Authority, daysLeft } from '../../src/cli/ca/authority.js';
import { authorityCertificate, leaf, newKey, type Pair } from '../../src/cli/ca/certificates.js';
import { issue } from '../../src/cli/ca/issue.js';
import { isPermitted } from '../../src/cli/ca/vendor-names.js';
import { scratchFolder } from '../support/scratch.js';
import { command, ensureBuilt } from '../support/server-process.js';

const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** What a client that trusts `ca` says to a server with this certificate under `servername`: undefined for nothing. */
async function refusalBy(ca: string, server: Pair, servername: string): Promise<string | undefined> {
  const listener = tls.createServer(server, (socket) => socket.end()).listen(0, '127.0.0.1');
  listener.on('tlsClientError', () => undefined);
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const client = tls.connect({ port, host: '127.0.0.1', servername, ca });
  try {
    await once(client, 'secureConnect');
    return undefined;
  } catch (error) {
    return (error as Error).message;
  } finally {
    client.destroy();
    listener.close();
  }
}

describe('the local authority', () => {
  const scratch = scratchFolder();
  const fresh = (): Authority => new Authority(join(scratch, `${Math.random()}`.slice(2), 'ca'));

  it('is made at first use, for its user alone', async () => {
    const authority = fresh();
    const made = await authority.ensure();
    expect(await authority.ensure()).toEqual(made);
    expect(readdirSync(authority.folder).sort()).toEqual(['ca.key', 'ca.pem']);
    expect(modeOf(authority.folder)).toBe(0o700);
    expect(modeOf(join(authority.folder, 'ca.key'))).toBe(0o600);
    expect(modeOf(join(authority.folder, 'ca.pem'))).toBe(0o644);
    const certificate = new X509Certificate(made.cert);
    expect(certificate.subject).toMatch(/^CN=Understudy local CA [0-9a-f]{8}$/);
    expect(certificate.ca).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(daysLeft(made.cert)).toBeGreaterThan(364.9);
    expect(daysLeft(made.cert)).toBeLessThanOrEqual(365);
  });

  it('is one, however many make it at the same moment', async () => {
    const { folder } = fresh();
    const all = await Promise.all(Array.from({ length: 12 }, () => new Authority(folder).ensure()));
    expect(new Set(all.map(({ cert }) => cert)).size).toBe(1);
    expect(new Set(all.map(({ key }) => key)).size).toBe(1);
    expect(readdirSync(folder).sort()).toEqual(['ca.key', 'ca.pem']);
  });

  it('signs for the vendors’ names and this machine, and nothing else that its key might sign is accepted', async () => {
    const pair = await fresh().ensure();
    const server = await leaf(
      pair,
      ['slack.com', '*.slack.com', 'linear.app', '*.linear.app', 'localhost', '127.0.0.1'],
      7,
    );
    for (const name of ['slack.com', 'files.slack.com', 'api.linear.app', 'localhost']) {
      expect(await refusalBy(pair.cert, server, name), name).toBeUndefined();
    }
    expect(await refusalBy(pair.cert, server, 'example.com')).toContain('example.com');
    for (const stolen of ['example.com', 'notslack.com', 'slack.com.example.com']) {
      const forged = await leaf(pair, ['slack.com', stolen], 7);
      expect(await refusalBy(pair.cert, forged, 'slack.com'), stolen).toMatch(/permitted subtree violation/i);
    }
  });

  it('signs no other authority', async () => {
    const pair = await fresh().ensure();
    const server = await leaf(pair, ['slack.com'], 7);
    const below = await leaf(server, ['slack.com'], 7);
    const chained = { key: below.key, cert: below.cert + server.cert };
    expect(await refusalBy(pair.cert, chained, 'slack.com')).toBeDefined();
  });

  it('is not used when others can read its key', async () => {
    const authority = fresh();
    await authority.ensure();
    chmodSync(join(authority.folder, 'ca.key'), 0o640);
    await expect(authority.ensure()).rejects.toThrow(/ca\.key can be read by others and is not used/);
    expect(() => authority.read()).toThrow(/can be read by others/);
    chmodSync(join(authority.folder, 'ca.key'), 0o600);
    chmodSync(authority.folder, 0o770);
    await expect(authority.ensure()).rejects.toThrow(/can be written by others/);
  });

  it('is replaced by renewing it, and by a run when fewer than 30 days are left', async () => {
    const authority = fresh();
    const first = await authority.ensureLasting();
    expect(await authority.ensureLasting()).toEqual(first);
    const second = await authority.renew();
    expect(second.key).not.toBe(first.key);
    expect(await authority.ensure()).toEqual(second);
    const key = await newKey();
    writeFileSync(join(authority.folder, 'ca.key'), key);
    writeFileSync(join(authority.folder, 'ca.pem'), await authorityCertificate(key, 29));
    expect((await authority.ensure()).key).toBe(key);
    expect((await authority.ensureLasting()).key).not.toBe(key);
  });

  it('heals what a renewal that was cut off has left', async () => {
    const authority = fresh();
    const { cert } = await authority.ensure();
    const key = await newKey();
    writeFileSync(join(authority.folder, 'ca.key'), key);
    const healed = await authority.ensure();
    expect(healed.key).toBe(key);
    expect(healed.cert).not.toBe(cert);
    expect(await refusalBy(healed.cert, await leaf(healed, ['slack.com'], 7), 'slack.com')).toBeUndefined();
  });

  it('writes the files of a server, which end no later than it', async () => {
    const authority = fresh();
    const folder = join(scratch, 'certs');
    mkdirSync(folder);
    // left by something else
    writeFileSync(join(folder, 'server.key'), 'old', { mode: 0o644 });
    const issued = await issue(authority, { folder, hosts: ['understudy'], days: 397 });
    expect(modeOf(issued.key)).toBe(0o600);
    const server = { cert: readFileSync(issued.cert, 'utf8'), key: readFileSync(issued.key, 'utf8') };
    const ca = readFileSync(issued.ca, 'utf8');
    expect(server.cert.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    for (const name of ['understudy', 'mcp.slack.com', 'linear.app']) {
      expect(await refusalBy(ca, server, name), name).toBeUndefined();
    }
    const endOf = (pem: string): number => Date.parse(new X509Certificate(pem).validTo);
    expect(endOf(server.cert)).toBeLessThanOrEqual(endOf(ca));
  });

  it('permits names below its domains and loopback addresses alone', () => {
    const permitted = [
      'slack.com',
      '*.slack.com',
      'a.b.linear.app',
      'understudy.default.svc.cluster.local',
      '127.1.2.3',
      '::1',
    ];
    const others = [
      'example.com',
      'myslack.com',
      'slack.com.',
      '128.0.0.1',
      '127.0.0.256',
      '*',
      '*.com',
      'a..slack.com',
      '',
    ];
    expect(permitted.filter((name) => !isPermitted(name))).toEqual([]);
    expect(others.filter(isPermitted)).toEqual([]);
  });
});

describe('understudy ca', { timeout: 120_000 }, () => {
  beforeAll(ensureBuilt, 300_000);
  const folder = scratchFolder();
  const ca = (args: string[], env: Record<string, string> = {}) =>
    command(['ca', ...args], { SVC_CA_DIR: join(folder, 'ca'), ...env });

  it('shows, renews and removes the authority, and writes certificates', async () => {
    expect((await ca(['path'])).stdout).toBe(`${join(folder, 'ca')}\n`);
    const none = await ca(['show']);
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toContain('there is no authority');

    const out = join(folder, 'out');
    const issued = await ca(['issue', '--out', out, '--host', 'Understudy', '--days', '30', '--json']);
    expect(issued.code, issued.stderr).toBe(0);
    expect(JSON.parse(issued.stdout)).toMatchObject({ names: expect.arrayContaining(['*.slack.com', 'understudy']) });
    expect(daysLeft(readFileSync(join(out, 'server.pem'), 'utf8'))).toBeCloseTo(30, 0);

    const shown = JSON.parse((await ca(['show', '--json'])).stdout) as Record<string, unknown>;
    expect(shown).toMatchObject({
      subject: expect.stringMatching(/^CN=Understudy local CA/),
      fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
      names: expect.arrayContaining(['slack.com', '127.0.0.0/8']),
    });
    const renewed = JSON.parse((await ca(['renew', '--json'])).stdout) as Record<string, unknown>;
    expect(renewed['fingerprint']).not.toBe(shown['fingerprint']);
    expect((await ca(['remove'])).stdout).toBe('removed\n');
    expect(existsSync(join(folder, 'ca', 'ca.key'))).toBe(false);
    expect((await ca(['remove'])).stdout).toBe('there was none\n');
  });

  it('says what is wrong with a name, and exits with 2', async () => {
    const wrong = await ca(['issue', '--out', folder, '--host', 'example.com']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('slack.com, linear.app');
    expect((await ca(['issue', '--out', folder, '--days', '398'])).code).toBe(2);
    expect((await ca(['issue'])).code).toBe(2);
  });

  it('keeps it where other programs keep their data, unless told otherwise', async () => {
    const env = { SVC_CA_DIR: '', HOME: '/home/somebody' };
    expect((await ca(['path'], { ...env, XDG_DATA_HOME: '/data' })).stdout).toBe('/data/understudy/ca\n');
    expect((await ca(['path'], { ...env, XDG_DATA_HOME: 'data' })).stdout).toBe(
      '/home/somebody/.local/share/understudy/ca\n',
    );
  });
});
