import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of PEM files. */
export interface Certificate {
  cert: string;
  key: string;
}

/**
 * Copies, in `folder`, of a self-signed certificate for localhost, 127.0.0.1 and ::1, and of its key. Both are
 * committed and trusted by nobody, as Node cannot create a certificate and the specs need no other program.
 * Valid until 2126.
 */
export function certificateIn(folder: string): Certificate {
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => {
    const copy = join(folder, name);
    writeFileSync(copy, readFileSync(new URL(`tls/${name}`, import.meta.url)));
    return copy;
  }) as [string, string];
  return { cert, key };
}
