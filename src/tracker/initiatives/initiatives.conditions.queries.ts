import type { OwnedKey } from '../store/filter-keys.js';
import type { QueryScope } from '../store/query-scope.js';
import type { SortKey } from '../store/sort-keys.js';

/* Hand-written: parts of conditions on initiatives, and of their order. */

const lastUpdate = (column: string, a: string): string =>
  `(SELECT ${column} FROM initiative_updates u WHERE u.initiative_id = ${a}.id AND u.archived_at IS NULL
    ORDER BY u.created_at DESC, u.id DESC LIMIT 1)`;

/** As SQL: the health that an initiative's newest update says. */
export const healthOfInitiative = (a: string): string => lastUpdate('u.health', a);

export const healthSort: SortKey = (a) => [
  {
    sql: `array_position(ARRAY['onTrack', 'atRisk', 'offTrack'], ${healthOfInitiative(a)})`,
    kind: 'number',
    nullable: true,
  },
];
export const healthUpdatedSort: SortKey = (a) => [
  { sql: lastUpdate('u.created_at', a), kind: 'moment', nullable: true },
];

/** All initiatives above one, of the caller's organization. */
export const ancestorsOfInitiative: OwnedKey = {
  is: 'many',
  entity: 'Initiative',
  through: {
    table: ({ organizationId }: QueryScope) => `(WITH RECURSIVE up (id, above) AS (
        SELECT r.related_initiative_id, r.initiative_id FROM initiative_relations r WHERE r.organization_id = ${organizationId}
        UNION SELECT u.id, r.initiative_id FROM up u JOIN initiative_relations r ON r.related_initiative_id = u.above)
      SELECT id, above FROM up)`,
    join: (e) => `${e}.id = x.above`,
  },
  owner: () => 'x.id',
};

/** As SQL: the initiative and all that are below it and not archived. */
const subtree = (id: string): string => `WITH RECURSIVE below (id) AS (
    SELECT ${id} UNION
    SELECT r.related_initiative_id FROM below b JOIN initiative_relations r ON r.initiative_id = b.id
    JOIN initiatives i ON i.id = r.related_initiative_id AND i.archived_at IS NULL)`;

/** The projects of an initiative and of all that are below it and not archived, as `projects` of it lists them. */
export const projectsOfInitiative: OwnedKey = {
  is: 'many',
  entity: 'Project',
  through: {
    table: ({ organizationId }: QueryScope) => `(WITH RECURSIVE down (id, below) AS (
        SELECT i.id, i.id FROM initiatives i WHERE i.organization_id = ${organizationId}
        UNION SELECT d.id, r.related_initiative_id FROM down d JOIN initiative_relations r ON r.initiative_id = d.below
          JOIN initiatives i ON i.id = r.related_initiative_id AND i.archived_at IS NULL)
      SELECT DISTINCT d.id, p.project_id FROM down d JOIN initiative_to_projects p ON p.initiative_id = d.below)`,
    join: (e) => `${e}.id = x.project_id`,
  },
  owner: () => 'x.id',
};

/** As SQL: a project of an initiative, or of one below it. */
export const projectsBelow = (a: string, parent: string): string =>
  `${a}.id IN (${subtree(parent)} SELECT x.project_id FROM below JOIN initiative_to_projects x ON x.initiative_id = below.id)`;
