import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { StoreError } from './store-error.js';

/** A key of `SVC_SECRET_KEY`. */
export interface SecretKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

const PREFIX = 'sealed:';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Secrets that the server has to read again, such as signing secrets: stored as `sealed:<id of the key>:<IV, tag and
 * text, base64url>` when `SVC_SECRET_KEY` is set, plain without it (docs/reference/safety.md#secrets-at-rest).
 * Statements declare which of their parameters and columns are such secrets (`statement`), so that other values that
 * look like one are never decrypted.
 */
export class StoredSecrets {
  private readonly keys: ReadonlyMap<string, Buffer>;
  private readonly current: SecretKey | undefined;

  /** @param keys the first one encrypts */
  constructor(keys: readonly SecretKey[] = []) {
    this.keys = new Map(keys.map(({ id, key }) => [id, key]));
    this.current = keys[0];
  }

  /** The stored form. A plain text that looks like an encrypted one has an unknown key id. */
  seal(secret: string): string {
    if (!this.current) return secret.startsWith(PREFIX) ? `${PREFIX}:${secret}` : secret;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.current.key, iv);
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return `${PREFIX}${this.current.id}:${Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')}`;
  }

  /**
   * The decrypted value.
   * @throws StoreError when its key is missing, or another key has its id
   */
  open(stored: string): string {
    if (!stored.startsWith(PREFIX)) return stored;
    const end = stored.indexOf(':', PREFIX.length);
    const id = stored.slice(PREFIX.length, end);
    if (id === '') return stored.slice(end + 1);
    const key = this.keys.get(id);
    if (!key) {
      throw new StoreError(
        `secrets in the store are encrypted with the key "${id}", which SVC_SECRET_KEY does not name; add it there, after the key that is to encrypt`,
      );
    }
    const bytes = Buffer.from(stored.slice(end + 1), 'base64url');
    try {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)).toString('utf8') + decipher.final('utf8');
    } catch {
      throw new StoreError(
        `the key "${id}" of SVC_SECRET_KEY is not the one that secrets in the store are encrypted with`,
      );
    }
  }

  /** The prefix of stored secrets that are encrypted with the first key; undefined when nothing is encrypted. */
  get prefix(): string | undefined {
    return this.current && `${PREFIX}${this.current.id}:`;
  }

  /** @internal parameters of a statement, of which those at these positions (from 1) are secrets */
  sealed(values: unknown[], places: readonly number[]): unknown[] {
    return values.map((value, i) => (places.includes(i + 1) && typeof value === 'string' ? this.seal(value) : value));
  }

  /** @internal rows whose columns of these names are secrets; they are changed in place */
  opened<R extends object>(rows: R[], columns: readonly string[]): R[] {
    for (const row of rows as Record<string, unknown>[]) {
      for (const column of columns) {
        if (typeof row[column] === 'string') row[column] = this.open(row[column]);
      }
    }
    return rows;
  }
}
