import { readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('the packages', () => {
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Record<string, unknown>> };

  it('are locked without the address of a registry', () => {
    expect(Object.keys(lock.packages).length).toBeGreaterThan(100);
    expect(Object.values(lock.packages).filter((entry) => 'resolved' in entry && !('link' in entry))).toEqual([]);
    expect(read('package-lock.json')).not.toMatch(/https?:\/\/[^"]*registry/);
  });

  it('are pinned exactly', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const versions = Object.entries({ ...manifest['dependencies'], ...manifest['devDependencies'] });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('include a command that can be run', () => {
    expect(statSync(new URL('../../bin/understudy.mjs', import.meta.url)).mode & 0o111).toBe(0o111);
  });
});
