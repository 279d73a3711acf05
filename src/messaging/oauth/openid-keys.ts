import { Injectable } from '@nestjs/common';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type JWK,
  type JWTPayload,
} from 'jose';
import { Db } from '../../kernel/database/db.js';
import { insertUnlessTaken } from '../../kernel/database/insert-unless-taken.js';
import { OpenidKey } from './openid-key.entity.js';

const ALGORITHM = 'RS256';

interface Keys {
  readonly kid: string;
  readonly signing: Awaited<ReturnType<typeof importJWK>>;
  readonly jwks: { readonly keys: readonly JWK[] };
}

/** The RSA keys of ID tokens: one set for all replicas, made when somebody first needs it. */
@Injectable()
export class OpenidKeys {
  private loading: Promise<Keys> | undefined;

  constructor(private readonly db: Db) {}

  /** The public parts. */
  async jwks(): Promise<Keys['jwks']> {
    return (await this.keys()).jwks;
  }

  /** A signed JWT of these claims, which name their times themselves. */
  async sign(claims: JWTPayload): Promise<string> {
    const { kid, signing } = await this.keys();
    return new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid }).sign(signing);
  }

  private keys(): Promise<Keys> {
    this.loading ??= this.load().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  private async load(): Promise<Keys> {
    const known = await this.db.load((entities) => entities.countBy(OpenidKey, {}));
    const made = known === 0 ? await newKey() : undefined;
    const rows = await this.db.write(async (tx) => {
      // of several replicas that made one, the first to store its own wins
      if (made) await insertUnlessTaken(tx, OpenidKey, { ...made, privateKey: tx.secrets.seal(made.privateKey) });
      const stored = await tx.sql.find(OpenidKey, { order: { number: 'DESC' } });
      return stored.map((row) => ({ ...row, privateKey: tx.secrets.open(row.privateKey) }));
    });
    const [newest] = rows as [OpenidKey, ...OpenidKey[]];
    return {
      kid: newest.kid,
      signing: await importJWK(JSON.parse(newest.privateKey) as JWK, ALGORITHM),
      jwks: { keys: rows.map(({ publicKey }) => publicKey as JWK) },
    };
  }
}

async function newKey(): Promise<Pick<OpenidKey, 'number' | 'kid' | 'privateKey' | 'publicKey'>> {
  const pair = await generateKeyPair(ALGORITHM, { modulusLength: 2048, extractable: true });
  const [privateJwk, publicJwk] = await Promise.all([exportJWK(pair.privateKey), exportJWK(pair.publicKey)]);
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    number: 1,
    kid,
    privateKey: JSON.stringify(privateJwk),
    publicKey: { ...publicJwk, kid, use: 'sig', alg: ALGORITHM },
  };
}
