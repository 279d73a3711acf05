import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { SIGNING_SECRETS } from '../../tenants/both-products.queries.js';
import { REDACTED } from './redaction.js';

/** What a signing secret looks like, and many a hash. */
const CANDIDATE = /(?<![0-9A-Za-z])[0-9a-f]{32}(?![0-9A-Za-z])/g;

/** A text without the secrets; null for null. */
export type HideSecrets = <T extends string | null>(text: T) => Promise<T>;

/** Removes a sandbox's own signing secrets from its timeline: nothing but their value tells them from a hash. */
@Injectable()
export class KnownSecrets {
  constructor(private readonly db: Db) {}

  /** For one reader: secrets are looked up when the first text may hold one. */
  hiderFor(tenantId: number): HideSecrets {
    let known: Promise<ReadonlySet<string>> | undefined;
    return async <T extends string | null>(text: T): Promise<T> => {
      if (text === null || text.search(CANDIDATE) === -1) return text;
      const secrets = await (known ??= this.ofSandbox(tenantId));
      return text.replace(CANDIDATE, (found) => (secrets.has(found) ? REDACTED : found)) as T;
    };
  }

  private async ofSandbox(tenantId: number): Promise<ReadonlySet<string>> {
    const rows = await this.db.read<{ secret: string }>(SIGNING_SECRETS, [tenantId]);
    return new Set(rows.map(({ secret }) => secret));
  }
}
