import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of PEM files. */
export interface Certificate {
  cert: string;
  key: string;
}

/** A certificate for localhost that has signed itself, and its key, readable by every user. Needs openssl. */
export function makeCertificate(folder: string): Certificate {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1';
  const options = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext ${names}`.split(' ');
  execFileSync('openssl', [...options, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  chmodSync(key, 0o644);
  return { cert, key };
}
