import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { OperatorError } from '../fatal-error.js';
import type { Pair } from './certificates.js';

const LIFE_DAYS = 365;
const DAY_MS = 86_400_000;
/** A run renews an authority with fewer days left. */
const RENEW_DAYS = 30;
/** Others may make or renew it at the same moment: what they leave is whole again after one or two looks. */
const ATTEMPTS = 20;

/**
 * The local certificate authority, which signs for the vendors' names (docs/REACH.md): two files in a folder of this
 * user. Its key never leaves that folder, and no trust store of the system or of a browser is ever written.
 */
export class Authority {
  constructor(readonly folder: string) {}

  /** The authority of this environment, without looking whether it exists. */
  static of(env: NodeJS.ProcessEnv): Authority {
    const named = env['SVC_CA_DIR'];
    if (named) return new Authority(named);
    const data = env['XDG_DATA_HOME'];
    // the specification says that a relative one is to be ignored
    const base = data && isAbsolute(data) ? data : join(env['HOME'] || homedir(), '.local', 'share');
    return new Authority(join(base, 'understudy', 'ca'));
  }

  private get keyFile(): string {
    return join(this.folder, 'ca.key');
  }

  private get certFile(): string {
    return join(this.folder, 'ca.pem');
  }

  /**
   * The authority, made at first use. Of several at the same moment one wins and all get that one.
   * @throws OperatorError when others could read or replace the key, or the folder cannot be written
   */
  async ensure(): Promise<Pair> {
    return this.inFolder(async () => {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const key = this.readKey() ?? (await this.makeKey());
        const cert = this.readCert();
        if (cert !== undefined && fits(cert, key)) return { key, cert };
        // a certificate of an earlier key: left by a renewal that was cut off
        if (cert !== undefined) rmSync(this.certFile, { force: true });
        await this.makeCert(key);
      }
      throw new OperatorError(`${this.folder} changes all the time: is another program writing there?`);
    });
  }

  /** The same, with at least 30 days left. */
  async ensureLasting(): Promise<Pair> {
    const pair = await this.ensure();
    return daysLeft(pair.cert) < RENEW_DAYS ? this.renew() : pair;
  }

  /** A new key and certificate. What the old one signed is trusted by nobody who trusts the new one alone. */
  async renew(): Promise<Pair> {
    await this.inFolder(async () => {
      this.readKey(); // refuses a folder or key that is not this user's alone
      const { newKey } = await import('./certificates.js');
      const draft = this.draft('key', await newKey(), 0o600);
      rmSync(this.certFile, { force: true });
      renameSync(draft, this.keyFile);
    });
    return this.ensure();
  }

  /** Undefined when there is none. */
  read(): { key: string; certificate: X509Certificate } | undefined {
    const key = this.readKey();
    const cert = this.readCert();
    return key !== undefined && cert !== undefined && fits(cert, key)
      ? { key, certificate: new X509Certificate(cert) }
      : undefined;
  }

  /** Returns whether there was one. */
  remove(): boolean {
    const existed = exists(this.keyFile) || exists(this.certFile);
    rmSync(this.certFile, { force: true });
    rmSync(this.keyFile, { force: true });
    return existed;
  }

  /** Undefined when there is none. @throws OperatorError when others could read or replace it */
  private readKey(): string | undefined {
    if (!exists(this.keyFile)) return undefined;
    const folder = statSync(this.folder);
    const { mode, uid } = lstatSync(this.keyFile);
    const me = process.getuid?.();
    if (me !== undefined && (uid !== me || folder.uid !== me)) {
      throw new OperatorError(
        `${this.keyFile} belongs to another user and is not used; set SVC_CA_DIR to another folder`,
      );
    }
    if ((mode & 0o077) !== 0) {
      throw new OperatorError(
        `${this.keyFile} can be read by others and is not used: run "understudy ca remove", and what trusted it should no longer`,
      );
    }
    if ((folder.mode & 0o022) !== 0) {
      throw new OperatorError(`${this.folder} can be written by others: run "chmod 700 ${this.folder}"`);
    }
    return readOrNothing(this.keyFile);
  }

  private readCert(): string | undefined {
    const text = readOrNothing(this.certFile);
    return text === undefined || text === '' ? undefined : text;
  }

  private async makeKey(): Promise<string> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const { newKey } = await import('./certificates.js');
    const key = await newKey();
    return this.place(this.keyFile, this.draft('key', key, 0o600)) ? key : (this.readKey() ?? key);
  }

  private async makeCert(key: string): Promise<void> {
    const { authorityCertificate } = await import('./certificates.js');
    this.place(this.certFile, this.draft('pem', await authorityCertificate(key, LIFE_DAYS), 0o644));
  }

  /** Writes a file beside its place, so that nobody ever sees half of it. */
  private draft(kind: string, content: string, mode: number): string {
    const file = join(this.folder, `.${kind}.${process.pid}.${Math.random().toString(36).slice(2)}`);
    writeFileSync(file, content, { mode, flag: 'wx' });
    chmodSync(file, mode);
    return file;
  }

  /** Puts a draft at its place, unless something is there; whether it did. */
  private place(file: string, draft: string): boolean {
    try {
      linkSync(draft, file);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  private async inFolder<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { code, syscall } = error as NodeJS.ErrnoException;
      if (syscall === undefined || error instanceof OperatorError) throw error;
      throw new OperatorError(
        `the authority's folder ${this.folder} cannot be used (${code}); set SVC_CA_DIR to another`,
      );
    }
  }
}

export const daysLeft = (cert: string): number => (Date.parse(new X509Certificate(cert).validTo) - Date.now()) / DAY_MS;

/** Whether a certificate, if it is one, is for this key. */
function fits(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).publicKey.equals(createPublicKey(createPrivateKey(key)));
  } catch {
    return false;
  }
}

const exists = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
