import { isUuid } from '../../tracker/values/uuid.js';
import { column, type Row, type StateEntity } from './state-entity.js';
import type { TrackerWorld } from './tracker-world.js';

const ID = { id: column('id') };
const team = ({ team_id: id }: Row, world: TrackerWorld): unknown => world.team(id);

/** JSON with names in the place of ids. */
function withNames(value: unknown, world: TrackerWorld): unknown {
  if (typeof value === 'string') return isUuid(value) ? world.nameOf(value) : value;
  if (Array.isArray(value)) return value.map((one) => withNames(one, world));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withNames(one, world)]));
}

/** What people set up to work with: templates and the like (docs/reference/sandboxes.md#state). */
export const TRACKER_SETTING_STATE: readonly StateEntity<TrackerWorld>[] = [
  { name: 'initiative_label', table: 'initiative_labels', fields: { name: column('name') }, ids: ID },
  {
    name: 'template',
    table: 'templates',
    fields: {
      team,
      name: column('name'),
      type: column('type'),
      description: column('description'),
      template_data: ({ template_data: data }, world) => withNames(data, world),
    },
    ids: ID,
  },
  {
    name: 'custom_view',
    table: 'custom_views',
    fields: {
      team,
      name: column('name'),
      description: column('description'),
      owner: ({ owner_id: id }, { user }) => user(id),
      shared: column('shared'),
      filter_data: ({ filter_data: data }, world) => withNames(data, world),
      project_filter_data: ({ project_filter_data: data }, world) => withNames(data, world),
    },
    ids: ID,
  },
];
