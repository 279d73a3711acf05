import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { createHash, createPrivateKey, createPublicKey, randomBytes, webcrypto, type KeyObject } from 'node:crypto';
import { isAddress, PERMITTED_DOMAINS, PERMITTED_NETWORKS } from './vendor-names.js';

/** Makes certificates. Loaded when one is made, as its library takes longer to load than all other commands run. */

const EC = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
/** Certificates begin this much earlier, as clocks of containers may be behind. */
const EARLIER_MS = 3_600_000;
const NAME_CONSTRAINTS = '2.5.29.30';

/** A certificate and its key, both PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** PEM (PKCS #8) of a new P-256 key. */
export async function newKey(): Promise<string> {
  const { privateKey } = await webcrypto.subtle.generateKey(EC, true, ['sign', 'verify']);
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey));
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({
    format: 'pem',
    type: 'pkcs8',
  }) as string;
}

/** PEM of an authority's certificate for this key, whose fingerprint is in the name. */
export async function authorityCertificate(key: string, days: number): Promise<string> {
  const pair = await keyPairOf(key);
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const name = `CN=Understudy local CA ${createHash('sha256').update(spki).digest('hex').slice(0, 8)}`;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name,
    ...lifeOf(days),
    signingAlgorithm: SIGNING,
    keys: pair,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      new Extension(NAME_CONSTRAINTS, true, permittedNames()),
      await SubjectKeyIdentifierExtension.create(pair.publicKey, false),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** A certificate for a server of these names, signed by the authority, with a new key. @param days its life */
export async function leaf(authority: Pair, names: readonly string[], days: number): Promise<Pair> {
  const key = await newKey();
  const own = await keyPairOf(key);
  const signer = await keyPairOf(authority.key);
  const issuer = new X509Certificate(authority.cert);
  const life = lifeOf(days);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'CN=Understudy',
    issuer: issuer.subject,
    ...life,
    notAfter: new Date(Math.min(life.notAfter.getTime(), issuer.notAfter.getTime())),
    signingAlgorithm: SIGNING,
    publicKey: own.publicKey,
    signingKey: signer.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((name) => ({ type: isAddress(name) ? ('ip' as const) : ('dns' as const), value: name })),
      ),
      await SubjectKeyIdentifierExtension.create(own.publicKey, false),
      await AuthorityKeyIdentifierExtension.create(signer.publicKey, false),
    ],
  });
  return { key, cert: `${certificate.toString('pem')}\n` };
}

async function keyPairOf(pem: string): Promise<webcrypto.CryptoKeyPair> {
  const key: KeyObject = createPrivateKey(pem);
  const pkcs8 = key.export({ format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const { subtle } = webcrypto;
  return {
    privateKey: await subtle.importKey('pkcs8', pkcs8, EC, false, ['sign']),
    publicKey: await subtle.importKey('spki', spki, EC, true, ['verify']),
  };
}

/** A positive number of 16 bytes. */
const serial = (): string => {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x3f) | 0x40;
  return bytes.toString('hex');
};

function lifeOf(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - EARLIER_MS), notAfter: new Date(now + days * DAY_MS) };
}

/** DER of `NameConstraints` with permitted subtrees alone (RFC 5280, 4.2.1.10): the library has no class for it. */
function permittedNames(): Uint8Array<ArrayBuffer> {
  const names = PERMITTED_DOMAINS.map((domain) => der(0x82, Buffer.from(domain)));
  const networks = PERMITTED_NETWORKS.map(({ bytes }) => der(0x87, Buffer.from(bytes)));
  const subtrees = [...names, ...networks].map((base) => der(0x30, base));
  return new Uint8Array(der(0x30, der(0xa0, Buffer.concat(subtrees))));
}

/** One element of at most 65,535 bytes. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
