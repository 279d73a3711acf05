import type { ValueKey } from '../store/filter-keys.js';
import type { SortKey } from '../store/sort-keys.js';

/* Hand-written: parts of conditions on releases, and of their order. */

export const hasNotes: ValueKey = {
  is: 'boolean',
  sql: (a) => `EXISTS (SELECT 1 FROM release_note_releases x WHERE x.release_id = ${a}.id)`,
};

export const stageSort: SortKey = (a) => [
  { sql: `(SELECT x.position FROM release_stages x WHERE x.id = ${a}.stage_id)`, kind: 'number' },
];
