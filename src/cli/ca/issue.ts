import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../fatal-error.js';
import type { Authority } from './authority.js';
import { VENDOR_NAMES } from './vendor-names.js';

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

export interface Issued {
  cert: string;
  key: string;
  ca: string;
  names: string[];
}

/**
 * Writes the files of a server under the vendors' names: `server.pem` (its certificate and the authority's),
 * `server.key` (0600) and `ca.pem`, which clients trust.
 */
export async function issue(
  authority: Authority,
  { folder, hosts, days }: { folder: string; hosts: readonly string[]; days: number },
): Promise<Issued> {
  const pair = await authority.ensure();
  const { leaf } = await import('./certificates.js');
  const names = [...new Set([...VENDOR_NAMES, ...LOCAL_NAMES, ...hosts])];
  const made = await leaf(pair, names, days);
  const [cert, key, ca] = ['server.pem', 'server.key', 'ca.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  try {
    mkdirSync(folder, { recursive: true });
    // a file that is there keeps its mode, and a link leads elsewhere
    rmSync(key, { force: true });
    writeFileSync(key, made.key, { mode: 0o600, flag: 'wx' });
    writeFileSync(cert, made.cert + pair.cert, { mode: 0o644 });
    writeFileSync(ca, pair.cert, { mode: 0o644 });
  } catch (error) {
    throw new OperatorError(`${folder} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
  return { cert, key, ca, names };
}
