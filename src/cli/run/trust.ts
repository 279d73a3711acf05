import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';

/** Where systems keep their roots as one file. */
const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

/** The password of every key store of Java; it holds certificates alone. */
export const STORE_PASSWORD = 'changeit';

/**
 * The files by which a run's programs trust its authority, in a folder of their own that ends with the run: variables
 * that name roots replace the others, so each file holds those as well.
 */
export class Trust {
  readonly folder = mkdtempSync(join(tmpdir(), 'understudy-run-'));
  /** The authority alone. */
  readonly authority = join(this.folder, 'ca.pem');
  private readonly bundles = new Map<string, string>();

  constructor(private readonly cert: string) {
    writeFileSync(this.authority, cert);
  }

  /** The authority with what `before` names, for variables that add to the roots. */
  added(before: string | undefined): string {
    const text = pemOf(before);
    return text === undefined ? this.authority : this.written(`${text}\n${this.cert}`);
  }

  /** The authority with what `before` names, else with the system's roots, else with Node's. */
  bundle(before: string | undefined): string {
    return this.written(`${pemOf(before) ?? systemRoots()}\n${this.cert}`);
  }

  /** A key store (JKS) for Java with the same. */
  keyStore(): string {
    const all = `${systemRoots()}\n${this.cert}`.match(CERTIFICATE) ?? [];
    const file = join(this.folder, 'trust.jks');
    writeFileSync(file, keyStoreOf(all.flatMap(derOf)));
    return file;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private written(text: string): string {
    const known = this.bundles.get(text);
    if (known !== undefined) return known;
    const file = join(this.folder, `bundle-${this.bundles.size + 1}.pem`);
    writeFileSync(file, text);
    this.bundles.set(text, file);
    return file;
  }
}

function pemOf(file: string | undefined): string | undefined {
  if (!file || !statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function systemRoots(): string {
  for (const file of SYSTEM_BUNDLES) {
    const text = pemOf(file);
    if (text !== undefined) return text;
  }
  return rootCertificates.join('\n');
}

/** Nothing for a certificate that cannot be read: Java would refuse the whole store. */
function derOf(pem: string): Buffer[] {
  try {
    return [new X509Certificate(pem).raw];
  } catch {
    return [];
  }
}

/** Java's own format, as `keytool -storetype JKS` writes it: each certificate as trusted, and a digest over all. */
function keyStoreOf(certificates: readonly Buffer[]): Buffer {
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    return bytes;
  };
  const text = (value: string): Buffer =>
    Buffer.concat([number(value.length).subarray(2), Buffer.from(value, 'latin1')]);
  const entries = certificates.flatMap((der, n) => [
    number(2),
    text(`ca-${n}`),
    number(0),
    number(0),
    text('X.509'),
    number(der.length),
    der,
  ]);
  const store = Buffer.concat([number(0xfeedfeed), number(2), number(certificates.length), ...entries]);
  const password = Buffer.from(STORE_PASSWORD, 'utf16le').swap16();
  const digest = createHash('sha1').update(password).update('Mighty Aphrodite').update(store).digest();
  return Buffer.concat([store, digest]);
}
