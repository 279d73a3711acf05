import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../src/kernel/config/settings.js';
import { TargetPolicy } from '../../src/webhooks/guarded-targets.js';

const policy = (env: Record<string, string>): TargetPolicy => {
  const { targets, allowLinkLocal } = parseSettings({ HOST: '0.0.0.0', ...env });
  return new TargetPolicy(targets, allowLinkLocal);
};

describe('default settings', () => {
  it('are open on a loopback address, and restricted on any other', () => {
    const defaults = (HOST: string) => {
      const { signup, targets, authRate } = parseSettings({ HOST });
      return { signup, targets, authRate };
    };
    for (const host of ['127.0.0.1', 'localhost', '::1'])
      expect(defaults(host)).toEqual({ signup: 'open', targets: 'any', authRate: { account: 10, address: 0 } });
    for (const host of ['0.0.0.0', '::', '10.0.0.1'])
      expect(defaults(host)).toEqual({ signup: 'closed', targets: 'cluster', authRate: { account: 10, address: 60 } });
    expect(parseSettings({ HOST: '0.0.0.0', SVC_SIGNUP: 'open' }).signup).toBe('open');
  });

  it('refuse operators’ tokens that cannot be told apart', () => {
    const token = 'x'.repeat(20);
    for (const bad of ['ann', 'ann:', 'ann:short', `Ann:${token}`, `ann:${token},bob:${token}`, `ann:${token} x`])
      expect(() => parseSettings({ SVC_ADMIN_TOKENS: bad }), bad).toThrow(/SVC_ADMIN_TOKENS/);
    expect(() => parseSettings({ SVC_ADMIN_TOKENS: `ann:${token}y,bob:${token}z` })).not.toThrow();
  });
});

describe('SVC_TARGETS', () => {
  it('never allows link-local and metadata addresses, however they are written', () => {
    const any = policy({ SVC_TARGETS: 'any' });
    for (const address of [
      '169.254.169.254',
      'fe80::1',
      'fd00:ec2::254',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      'fd20:ce::254',
      '::ffff:169.254.169.254',
      '::ffff:0:169.254.169.254',
      '64:ff9b::a9fe:a9fe',
      '64:ff9b:1::a9fe:a9fe',
      '2002:a9fe:a9fe::1',
      '2001:0:a9fe:a9fe::1',
      '2001:0:1:1:0:0:5601:5601',
    ]) {
      expect([address, any.allows(address, address)]).toEqual([address, false]);
    }
    expect(any.allows('127.0.0.1', '127.0.0.1')).toBe(true);
    expect(policy({ SVC_ALLOW_LINK_LOCAL: 'true', SVC_TARGETS: 'any' }).allows('x.test', '169.254.1.1')).toBe(true);
  });

  it('with cluster, the default for a network address, excludes the server itself', () => {
    const cluster = policy({});
    for (const own of ['127.0.0.1', '::1', '0.0.0.0', '::ffff:127.0.0.1']) expect(cluster.allows('x', own)).toBe(false);
    for (const { address } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
      expect([address, cluster.allows('x', address)]).toEqual([address, false]);
    expect(cluster.allows('x', '203.0.113.9')).toBe(true);
  });

  it('with a list, allows only its addresses, hosts, suffixes and ports', () => {
    const list = policy({ SVC_TARGETS: '10.0.0.0/8,app.test:8080,*.example.org,[fd00::1]:80' });
    expect(list.allows('any.test', '10.1.2.3', 99)).toBe(true);
    expect(list.allows('app.test', '203.0.113.9', 8080)).toBe(true);
    expect(list.allows('app.test', '203.0.113.9', 80)).toBe(false);
    expect(list.allows('a.example.org', '203.0.113.9', 443)).toBe(true);
    expect(list.allows('example.org', '203.0.113.9', 443)).toBe(false);
    expect(list.allows('[fd00::1]', 'fd00::1', 80)).toBe(true);
    expect(list.allows('[fd00::1]', 'fd00::1', 81)).toBe(false);
    expect(() => policy({ SVC_TARGETS: '10.0.0.0/99' })).toThrow(/SVC_TARGETS/);
  });
});
