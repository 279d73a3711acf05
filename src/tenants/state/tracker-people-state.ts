import { column, sorted, type Row, type StateEntity } from './state-entity.js';
import type { TrackerWorld } from './tracker-world.js';

const ID = { id: column('id') };
const team = ({ team_id: id }: Row, world: TrackerWorld): unknown => world.team(id);
const issue = ({ issue_id: id }: Row, world: TrackerWorld): unknown => world.issue(id);
const user = ({ user_id: id }: Row, world: TrackerWorld): unknown => world.user(id);

/** What a favorite is of, or somebody subscribes to, by its column. */
const TARGETS: Readonly<Record<string, (id: unknown, world: TrackerWorld) => unknown>> = {
  team_id: (id, world) => world.team(id),
  issue_id: (id, world) => world.issue(id),
  project_id: (id, world) => world.project(id),
  cycle_id: (id, world) => world.cycle(id),
  label_id: (id, world) => world.label(id),
  project_label_id: (id, world) => world.projectLabel(id),
  document_id: (id, world) => world.document(id),
  custom_view_id: (id, world) => world.customView(id),
  initiative_id: (id, world) => world.initiative(id),
  customer_id: (id, world) => world.customer(id),
  release_id: (id, world) => world.release(id),
  release_note_id: (id, world) => world.releaseNote(id),
  release_pipeline_id: (id, world) => world.pipeline(id),
  user_id: (id, world) => world.user(id),
};

/** A row has one of them; the others are left out. */
const ofTargets = (): StateEntity<TrackerWorld>['fields'] =>
  Object.fromEntries(
    Object.entries(TARGETS).map(([key, named]) => [
      key.replace(/_id$/, ''),
      (row: Row, world: TrackerWorld) =>
        row[key] === null || row[key] === undefined ? undefined : named(row[key], world),
    ]),
  );

const isOfSomething = (row: Row, { isThere }: TrackerWorld): boolean =>
  isThere('issues', row['issue_id'] ?? null) &&
  isThere('projects', row['project_id'] ?? null) &&
  isThere('initiatives', row['initiative_id'] ?? null) &&
  isThere('releases', row['release_id'] ?? null) &&
  isThere('release_pipelines', row['release_pipeline_id'] ?? null);

/** What people have for themselves, and who they are to others (docs/reference/sandboxes.md#state). */
export const TRACKER_PEOPLE_STATE: readonly StateEntity<TrackerWorld>[] = [
  {
    name: 'team_membership',
    table: 'team_memberships',
    fields: { team, user, owner: column('owner') },
    ids: ID,
  },
  {
    name: 'favorite',
    table: 'favorites',
    holds: isOfSomething,
    fields: {
      owner: ({ owner_id: id }, world) => world.user(id),
      folder: ({ folder_name: name }) => name ?? undefined,
      parent: ({ parent_id: id }, { folder }) => folder(id) ?? undefined,
      ...ofTargets(),
      predefined_view: ({ predefined_view_type: type }) => type ?? undefined,
      predefined_view_team: ({ predefined_view_team_id: id }, world) => world.team(id) ?? undefined,
    },
    ids: ID,
  },
  {
    name: 'notification_subscription',
    table: 'tracker_notification_subscriptions',
    holds: isOfSomething,
    fields: {
      subscriber: ({ subscriber_id: id }, world) => world.user(id),
      ...ofTargets(),
      types: ({ notification_subscription_types: types }) => sorted(types as unknown[]),
      active: column('active'),
    },
    ids: ID,
  },
  {
    name: 'issue_reminder',
    table: 'tracker_issue_reminders',
    holds: ({ issue_id: id }, { isThere }) => isThere('issues', id),
    fields: { issue, user },
    ids: ID,
  },
  {
    name: 'external_user',
    table: 'external_users',
    fields: { name: column('name'), display_name: column('display_name'), email: column('email') },
    ids: ID,
  },
  {
    name: 'integration',
    table: 'tracker_integrations',
    fields: { service: column('service'), team, by: ({ creator_id: id }, world) => world.user(id) },
    ids: ID,
  },
  {
    name: 'tracker_file',
    table: 'tracker_files',
    holds: ({ content_hash: hash }) => hash !== null,
    fields: {
      name: column('filename'),
      content_type: column('content_type'),
      sha256: column('content_hash'),
      public: column('is_public'),
    },
    ids: ID,
  },
];
