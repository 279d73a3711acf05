import type { Db } from './db.js';
import { statement, type Statement } from './statement.js';

/** Where the bytes of a product's files are, once for equal files of an owner, and what uses them. */
export interface ContentTables {
  /** Holds `hash` and `bytes`. */
  readonly contents: string;
  /** Holds `content_hash`. */
  readonly files: string;
  /** The column of both that names the owner, and its type. */
  readonly ownerColumn: string;
  readonly ownerType: 'text' | 'uuid';
  /** The tenant of an owner: `id`, `tenant_id`. */
  readonly owners: string;
}

/** How many contents go at once. */
const AT_ONCE = 200;

/** Deletes bytes that no file uses any more, nor a state that a reset or a copy may restore. */
export class ContentSweep {
  /** Locks some bytes that nothing uses. */
  readonly hold: Statement;
  /** Deletes those that nothing uses now. Parameters: owners, hashes. */
  readonly remove: Statement;

  constructor({ contents, files, ownerColumn, ownerType, owners }: ContentTables) {
    const isUnused = `NOT EXISTS (
         SELECT FROM ${files} f WHERE f.${ownerColumn} = c.${ownerColumn} AND f.content_hash = c.hash)
       AND NOT EXISTS (
         SELECT FROM ${owners} o JOIN sandbox_undo u ON u.tenant_id = o.tenant_id
         WHERE o.id = c.${ownerColumn} AND u.tbl = '${files}' AND u.image ->> 'content_hash' = c.hash)`;
    this.hold = statement(
      `${contents}_hold_unused`,
      `SELECT c.${ownerColumn}::text AS owner, c.hash FROM ${contents} c WHERE ${isUnused}
       LIMIT ${AT_ONCE} FOR UPDATE SKIP LOCKED`,
      { keeps: 'callers' },
    );
    // sees what was stored between the look of the first and its lock, as an upload holds the row until it commits
    this.remove = statement(
      `${contents}_remove_unused`,
      `DELETE FROM ${contents} c USING unnest($1::text[], $2::text[]) AS held (owner, hash)
       WHERE c.${ownerColumn} = held.owner::${ownerType} AND c.hash = held.hash AND ${isUnused}`,
      { keeps: 'callers' },
    );
  }

  /** How many were found. */
  run(db: Db): Promise<number> {
    return db.write(async (tx) => {
      const held = await tx.query<{ owner: string; hash: string }>(this.hold);
      if (held.length > 0) {
        await tx.query(this.remove, [held.map(({ owner }) => owner), held.map(({ hash }) => hash)]);
      }
      return held.length;
    });
  }
}
