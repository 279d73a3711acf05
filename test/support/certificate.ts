import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of PEM files. */
export interface Certificate {
  cert: string;
  key: string;
}

/**
 * Copies of a certificate for localhost, 127.0.0.1 and ::1 that has signed itself, and of its key, in `folder`. Both are
 * part of the tests, known to everybody and trusted by nobody: Node cannot make a certificate, and the tests need nothing
 * but Node. Valid until 2126.
 */
export function certificateIn(folder: string): Certificate {
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => {
    const copy = join(folder, name);
    writeFileSync(copy, readFileSync(new URL(`tls/${name}`, import.meta.url)));
    return copy;
  }) as [string, string];
  return { cert, key };
}
