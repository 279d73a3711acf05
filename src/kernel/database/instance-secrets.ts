import { createHmac } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import { newHex } from '../ids/ids.js';
import type { StoredSecrets } from './stored-secrets.js';

/**
 * The secret of this installation: `SVC_JWT_SECRET`, else one that is created under the migration lock and stored, so
 * that every replica has the same. Credentials that can be printed again are derived from it.
 */
export class InstanceSecrets {
  constructor(private readonly secret: string) {}

  /** Key for one purpose; different purposes never share key material. */
  key(purpose: string): Buffer {
    return createHmac('sha256', this.secret).update(`understudy:${purpose}`).digest();
  }

  /** `length` characters of `alphabet`, derived from the secret and `name` alone. */
  derive(name: string, alphabet: string, length: number): string {
    let text = '';
    for (let block = 0; text.length < length; block++) {
      for (const byte of this.key(`derive:${name}:${block}`)) {
        if (byte < 256 - (256 % alphabet.length) && text.length < length) text += alphabet[byte % alphabet.length];
      }
    }
    return text;
  }

  /**
   * A stored one is encrypted with the first key from now on.
   * @throws StoreError
   */
  static async load(
    runner: QueryRunner,
    configured: string | undefined,
    stored: StoredSecrets,
  ): Promise<InstanceSecrets> {
    if (configured !== undefined) return new InstanceSecrets(configured);
    await runner.query(`INSERT INTO instance_values (key, value) VALUES ('secret', $1) ON CONFLICT DO NOTHING`, [
      stored.seal(newHex(64)),
    ]);
    const rows = (await runner.query(`SELECT value FROM instance_values WHERE key = 'secret'`)) as { value: string }[];
    const { value } = rows[0] as { value: string };
    const secret = stored.open(value);
    if (stored.prefix !== undefined && !value.startsWith(stored.prefix)) {
      await runner.query(`UPDATE instance_values SET value = $1 WHERE key = 'secret'`, [stored.seal(secret)]);
    }
    return new InstanceSecrets(secret);
  }
}
