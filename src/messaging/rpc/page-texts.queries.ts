import { type Statement, statement } from '../../kernel/database/statement.js';

/* Hand-written: the page leaves the database as one text, so that an unchanged one is found again by it. */

/** The text of a page without rows. */
export const NO_ROWS = '[]';

/** The rows of a page as one text: `[{"id": …}, …]`, in the order of the statement inside. */
export const pageStatement = (name: string, rows: string): Statement =>
  statement(name, `SELECT coalesce(json_agg(page)::text, '${NO_ROWS}') AS rows FROM (${rows}) page`);
