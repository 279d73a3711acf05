/* Hand-written: tables and columns are named at run time. */

/*
 * Statements of a start (kernel/database/sealing.ts). `tbl` and `col` are names of `sealed_columns`, which migrations alone
 * fill.
 */

export const SEALED_COLUMNS = 'SELECT tbl, col FROM sealed_columns ORDER BY tbl, col';

/** One encrypted value for each key. */
export const samplesOf = (tbl: string, col: string): string =>
  `SELECT min(value) AS value FROM (
     SELECT ${col} AS value FROM ${tbl} WHERE starts_with(${col}, 'sealed:')
     UNION ALL SELECT image ->> '${col}' FROM sandbox_undo WHERE tbl = '${tbl}' AND starts_with(image ->> '${col}', 'sealed:')) v
   GROUP BY split_part(value, ':', 2)`;

/** Values that do not begin with $1, at most $2 of them. */
export const othersOf = (tbl: string, col: string): string =>
  `SELECT DISTINCT ${col} AS value FROM ${tbl} WHERE NOT starts_with(${col}, $1) LIMIT $2`;

export const replaceIn = (tbl: string, col: string): string =>
  `UPDATE ${tbl} t SET ${col} = v.after FROM unnest($1::text[], $2::text[]) v (before, after) WHERE t.${col} = v.before`;

/** The same for images that a reset restores. */
export const otherImagesOf = (tbl: string, col: string): string =>
  `SELECT DISTINCT image ->> '${col}' AS value FROM sandbox_undo
   WHERE tbl = '${tbl}' AND NOT starts_with(image ->> '${col}', $1) LIMIT $2`;

export const replaceInImages = (tbl: string, col: string): string =>
  `UPDATE sandbox_undo u SET image = jsonb_set(u.image, '{${col}}', to_jsonb(v.after))
   FROM unnest($1::text[], $2::text[]) v (before, after) WHERE u.tbl = '${tbl}' AND u.image ->> '${col}' = v.before`;
