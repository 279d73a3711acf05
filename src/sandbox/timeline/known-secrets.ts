import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { SIGNING_SECRETS } from '../inboxes/inboxes.queries.js';
import { REDACTED } from './redaction.js';
import type { EntryRow } from './timeline.queries.js';

/** What a signing secret looks like, and many a hash. */
const CANDIDATE = /(?<![0-9A-Za-z])[0-9a-f]{32}(?![0-9A-Za-z])/g;

export type HideSecrets = (row: EntryRow) => Promise<EntryRow>;

/** Removes a sandbox's own signing secrets from its timeline: nothing but their value tells them from a hash. */
@Injectable()
export class KnownSecrets {
  constructor(private readonly db: Db) {}

  /** For the entries of one reader: secrets are looked up when the first text may hold one. */
  hiderFor(tenantId: number): HideSecrets {
    let known: Promise<ReadonlySet<string>> | undefined;
    return async (row) => {
      const { head, body, data } = row;
      if (![head, body, data].some((text) => text !== null && text.search(CANDIDATE) !== -1)) return row;
      const secrets = await (known ??= this.ofSandbox(tenantId));
      const hidden = (text: string | null): string | null =>
        text?.replace(CANDIDATE, (found) => (secrets.has(found) ? REDACTED : found)) ?? null;
      return { ...row, head: hidden(head), body: hidden(body), data: hidden(data) };
    };
  }

  private async ofSandbox(tenantId: number): Promise<ReadonlySet<string>> {
    const rows = await this.db.read<{ secret: string }>(SIGNING_SECRETS, [tenantId]);
    return new Set(rows.map(({ secret }) => secret));
  }
}
