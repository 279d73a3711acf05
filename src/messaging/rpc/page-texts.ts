import { LRUCache } from 'lru-cache';
import type { Db } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { WireText } from './wire-text.js';

/** Characters of rows and of what was made of them, together: some hundred pages of thirty users. */
export const MAX_CHARACTERS = 4 * 1024 * 1024;

/** A page of a list, ready to be sent. */
export interface PageText {
  readonly items: WireText;
  /** The cursor of the page behind it, '' for none. */
  readonly next: string;
  /** False for a page that depends on the moment as well as on its rows. */
  readonly lasts: boolean;
}

/** The text that a page statement answers: it has exactly one row. */
export async function readPage(db: Db, page: Statement, parameters: unknown[]): Promise<string> {
  const [row] = await db.read<{ rows: string }>(page, parameters);
  if (!row) throw new Error(`${page.name} answered no row`);
  return row.rows;
}

/**
 * Pages of lists that are read far more often than they change. The rows are read anew for each call; what was made of
 * them is found again by their text, so that a page is never older than its rows, whoever changed them.
 */
export class PageTexts<Row> {
  private readonly pages = new LRUCache<string, PageText>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (page, key) => page.items.json.length + key.length,
  });

  /**
   * @param view everything else that the page depends on
   * @param make the page of these rows
   */
  of(rows: string, view: string, make: (rows: Row[]) => PageText): PageText {
    const key = `${view}\n${rows}`;
    const known = this.pages.get(key);
    if (known) return known;
    const page = make(JSON.parse(rows) as Row[]);
    if (page.lasts) this.pages.set(key, page);
    return page;
  }
}
