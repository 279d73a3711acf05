import { column, type Row, type StateEntity } from './state-entity.js';
import type { TrackerWorld } from './tracker-world.js';

const ID = { id: column('id') };
const issueOf = (row: Row | undefined, world: TrackerWorld): unknown => world.issue(row?.['issue_id']);
const appOf = (row: Row | undefined, world: TrackerWorld): unknown => world.agent(row?.['app_user_id']);

/** What applications do as agents (docs/reference/sandboxes.md#state). */
export const TRACKER_AGENT_STATE: readonly StateEntity<TrackerWorld>[] = [
  {
    name: 'agent_session',
    table: 'tracker_agent_sessions',
    holds: ({ issue_id: id }, { isThere }) => isThere('issues', id),
    fields: {
      issue: issueOf,
      app: appOf,
      status: column('status'),
      creator: ({ creator_id: id }, { user }) => user(id),
      delegated: column('is_delegated'),
      dismissed: ({ dismissed_at: at }) => at !== null,
      summary: column('summary'),
      plan: column('plan'),
      external_urls: column('external_urls'),
    },
    ids: ID,
  },
  {
    name: 'agent_activity',
    table: 'tracker_agent_activities',
    // an ephemeral one that is over is in no list
    holds: ({ archived_at: archived, agent_session_id: id }, { session, isThere }) =>
      archived === null && isThere('issues', session(id)?.['issue_id']),
    fields: {
      issue: ({ agent_session_id: id }, world) => issueOf(world.session(id), world),
      app: ({ agent_session_id: id }, world) => appOf(world.session(id), world),
      by: ({ user_id: id }, { user, agent }) => agent(id) ?? user(id),
      content: column('content'),
      ephemeral: column('ephemeral'),
      signal: column('signal'),
    },
    ids: ID,
  },
];
