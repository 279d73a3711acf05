import { TRACKER_AGENT_STATE } from './tracker-agent-state.js';
import { TRACKER_PEOPLE_STATE } from './tracker-people-state.js';
import { TRACKER_SETTING_STATE } from './tracker-setting-state.js';
import type { TrackerWorld } from './tracker-world.js';
import { column, sorted, type Row, type StateEntity } from './state-entity.js';

/** Tables that are read beside those of the entities. */
export const TRACKER_TABLES = [
  'tracker_users',
  'project_statuses',
  'project_teams',
  'project_members',
  'release_pipeline_teams',
  'release_note_releases',
  'oauth_applications',
];

const ID = { id: column('id') };
const isLive = ({ archived_at: archived }: Row): boolean => archived === null;
const ofLiveIssue = ({ issue_id: id }: Row, { isThere }: TrackerWorld): boolean => isThere('issues', id);
const ofLiveProject = ({ project_id: id }: Row, { isThere }: TrackerWorld): boolean => isThere('projects', id);
const ofLiveInitiative = ({ initiative_id: id }: Row, { isThere }: TrackerWorld): boolean => isThere('initiatives', id);
const ofLiveRelease = ({ release_id: id }: Row, { isThere }: TrackerWorld): boolean => isThere('releases', id);
const ofLivePipeline = ({ pipeline_id: id }: Row, { isThere }: TrackerWorld): boolean =>
  isThere('release_pipelines', id);
const issue = ({ issue_id: id }: Row, world: TrackerWorld): unknown => world.issue(id);
const project = ({ project_id: id }: Row, world: TrackerWorld): unknown => world.project(id);
const initiative = ({ initiative_id: id }: Row, world: TrackerWorld): unknown => world.initiative(id);
const pipeline = ({ pipeline_id: id }: Row, world: TrackerWorld): unknown => world.pipeline(id);
const release = ({ release_id: id }: Row, world: TrackerWorld): unknown => world.release(id);
const team = ({ team_id: id }: Row, world: TrackerWorld): unknown => world.team(id);
const by = ({ user_id: id }: Row, world: TrackerWorld): unknown => world.user(id);
/** Left out where there is none. */
const ifAny = (value: unknown): unknown => value ?? undefined;
const ifSome = (list: readonly unknown[]): unknown => (list.length > 0 ? list : undefined);

/** The tracker's part of a state (docs/reference/sandboxes.md#state). */
export const TRACKER_STATE: readonly StateEntity<TrackerWorld>[] = [
  { name: 'team', table: 'teams', holds: isLive, fields: { key: column('key'), name: column('name') }, ids: ID },
  {
    name: 'state',
    table: 'workflow_states',
    holds: isLive,
    fields: { team, name: column('name'), type: column('type') },
    ids: ID,
  },
  { name: 'label', table: 'issue_labels', fields: { team, name: column('name') }, ids: ID },
  { name: 'project_label', table: 'project_labels', fields: { team, name: column('name') }, ids: ID },
  {
    name: 'project',
    table: 'projects',
    holds: (row, { isThere }) => isLive(row) && isThere('projects', row['id']),
    fields: {
      name: column('name'),
      description: column('description'),
      status: ({ status_id: id }, { status }) => status(id),
      lead: ({ lead_id: id }, { user }) => user(id),
      members: ({ id }, { membersOf }) => membersOf(id),
      teams: ({ id }, { teamsOf }) => teamsOf(id),
      labels: ({ label_ids: ids }, { projectLabel }) => ifSome(sorted(((ids ?? []) as unknown[]).map(projectLabel))),
    },
    ids: ID,
  },
  {
    name: 'cycle',
    table: 'cycles',
    holds: isLive,
    fields: { team, number: column('number'), name: column('name') },
    ids: ID,
  },
  {
    name: 'issue',
    table: 'issues',
    holds: ({ trashed }) => trashed !== true,
    fields: {
      team,
      title: column('title'),
      description: column('description'),
      state: ({ state_id: id }, { state }) => state(id),
      assignee: ({ assignee_id: id }, { user }) => user(id),
      creator: ({ creator_id: id }, { user }) => user(id),
      priority: column('priority'),
      estimate: column('estimate'),
      due_date: column('due_date'),
      labels: ({ label_ids: ids }, { label }) => sorted((ids as unknown[]).map(label)),
      project,
      milestone: ({ project_milestone_id: id }, { milestone }) => ifAny(milestone(id)),
      delegate: ({ delegate_id: id }, { agent }) => ifAny(agent(id)),
      cycle: ({ cycle_id: id }, { cycle }) => cycle(id),
      parent: ({ parent_id: id }, world) => world.issue(id),
      archived: ({ archived_at: archived }) => archived !== null,
    },
    ids: { ...ID, identifier: column('identifier') },
  },
  {
    name: 'comment',
    table: 'comments',
    holds: (row, world) => ofLiveIssue(row, world) && ofLiveProject(row, world) && ofLiveInitiative(row, world),
    fields: {
      issue,
      project: ({ project_id: id, project_update_id: update }, world) =>
        ifAny(world.project(id) ?? world.projectOfUpdate(update)),
      initiative: ({ initiative_id: id, initiative_update_id: update }, world) =>
        ifAny(world.initiative(id) ?? world.initiativeOfUpdate(update)),
      by,
      document: ({ document_content_id: id }, { document }) => ifAny(document(id)),
      body: column('body'),
      parent: ({ parent_id: id }, { comment }) => comment(id),
      resolved: ({ resolved_at: at }) => at !== null,
    },
    ids: ID,
  },
  {
    name: 'project_milestone',
    table: 'project_milestones',
    holds: ofLiveProject,
    fields: { project, name: column('name'), description: column('description'), target_date: column('target_date') },
    ids: ID,
  },
  {
    name: 'project_status',
    table: 'project_statuses',
    holds: isLive,
    fields: { name: column('name'), type: column('type') },
    ids: ID,
  },
  {
    name: 'project_attachment',
    table: 'project_attachments',
    holds: ofLiveProject,
    fields: { project, title: column('title'), subtitle: column('subtitle'), url: column('url') },
    ids: ID,
  },
  {
    name: 'project_update',
    table: 'project_updates',
    holds: (row, world) => isLive(row) && ofLiveProject(row, world),
    fields: { project, by, body: column('body'), health: column('health') },
    ids: ID,
  },
  {
    name: 'project_relation',
    table: 'project_relations',
    holds: (row, world) => ofLiveProject(row, world) && world.isThere('projects', row['related_project_id']),
    fields: {
      project,
      related_project: ({ related_project_id: id }, world) => world.project(id),
      type: column('type'),
    },
    ids: ID,
  },
  {
    name: 'initiative',
    table: 'initiatives',
    holds: (row, { isThere }) => isLive(row) && isThere('initiatives', row['id']),
    fields: {
      name: column('name'),
      description: column('description'),
      status: column('status'),
      owner: ({ owner_id: id }, { user }) => user(id),
      priority: column('priority'),
      target_date: column('target_date'),
      labels: ({ label_ids: ids }, world) => ifSome(sorted((ids as unknown[]).map(world.initiativeLabel))),
    },
    ids: ID,
  },
  {
    name: 'initiative_to_project',
    table: 'initiative_to_projects',
    holds: (row, world) => ofLiveInitiative(row, world) && ofLiveProject(row, world),
    fields: { initiative, project },
    ids: ID,
  },
  {
    name: 'initiative_relation',
    table: 'initiative_relations',
    holds: (row, world) => ofLiveInitiative(row, world) && world.isThere('initiatives', row['related_initiative_id']),
    fields: { initiative, related_initiative: ({ related_initiative_id: id }, world) => world.initiative(id) },
    ids: ID,
  },
  {
    name: 'initiative_update',
    table: 'initiative_updates',
    holds: (row, world) => isLive(row) && ofLiveInitiative(row, world),
    fields: { initiative, by, body: column('body'), health: column('health') },
    ids: ID,
  },
  {
    name: 'customer_status',
    table: 'customer_statuses',
    fields: { name: column('name'), type: column('type') },
    ids: ID,
  },
  { name: 'customer_tier', table: 'customer_tiers', fields: { name: column('name') }, ids: ID },
  {
    name: 'customer',
    table: 'customers',
    fields: {
      name: column('name'),
      domains: ({ domains }) => sorted(domains as unknown[]),
      status: ({ status_id: id }, { customerStatus }) => customerStatus(id),
      tier: ({ tier_id: id }, { customerTier }) => customerTier(id),
      owner: ({ owner_id: id }, { user }) => user(id),
    },
    ids: ID,
  },
  {
    name: 'customer_need',
    table: 'customer_needs',
    holds: (row, world) => isLive(row) && ofLiveIssue(row, world) && ofLiveProject(row, world),
    fields: {
      customer: ({ customer_id: id }, { customer }) => customer(id),
      issue,
      project: (row, world) => ifAny(project(row, world)),
      body: column('body'),
      priority: column('priority'),
    },
    ids: ID,
  },
  {
    name: 'issue_relation',
    table: 'issue_relations',
    holds: (row, world) => ofLiveIssue(row, world) && world.isThere('issues', row['related_issue_id']),
    fields: {
      issue,
      related_issue: ({ related_issue_id: id }, world) => world.issue(id),
      type: column('type'),
    },
    ids: ID,
  },
  {
    name: 'attachment',
    table: 'attachments',
    holds: ofLiveIssue,
    fields: { issue, title: column('title'), subtitle: column('subtitle'), url: column('url') },
    ids: ID,
  },
  {
    name: 'document',
    table: 'documents',
    holds: (row, world) =>
      isLive(row) &&
      ofLiveIssue(row, world) &&
      ofLiveProject(row, world) &&
      ofLiveInitiative(row, world) &&
      ofLiveRelease(row, world),
    fields: {
      project: (row, world) => ifAny(project(row, world)),
      release: (row, world) => ifAny(release(row, world)),
      initiative: (row, world) => ifAny(initiative(row, world)),
      issue: (row, world) => ifAny(issue(row, world)),
      team: (row, world) => ifAny(team(row, world)),
      cycle: ({ cycle_id: id }, { cycle }) => ifAny(cycle(id)),
      title: column('title'),
      content: column('content'),
    },
    ids: ID,
  },
  {
    name: 'external_link',
    table: 'entity_external_links',
    holds: (row, world) => ofLiveProject(row, world) && ofLiveInitiative(row, world) && ofLiveRelease(row, world),
    fields: {
      project,
      release: (row, world) => ifAny(release(row, world)),
      initiative: (row, world) => ifAny(initiative(row, world)),
      team,
      cycle: ({ cycle_id: id }, { cycle }) => cycle(id),
      label: column('label'),
      url: column('url'),
    },
    ids: ID,
  },
  {
    name: 'release_pipeline',
    table: 'release_pipelines',
    holds: isLive,
    fields: {
      name: column('name'),
      type: column('type'),
      is_production: column('is_production'),
      teams: ({ id }, { teamsOfPipeline }) => teamsOfPipeline(id),
    },
    ids: ID,
  },
  {
    name: 'release_stage',
    table: 'release_stages',
    holds: (row, world) => isLive(row) && ofLivePipeline(row, world),
    fields: { pipeline, name: column('name'), type: column('type'), frozen: column('frozen') },
    ids: ID,
  },
  {
    name: 'release',
    table: 'releases',
    holds: (row, world) => isLive(row) && ofLivePipeline(row, world),
    fields: {
      pipeline,
      name: column('name'),
      version: column('version'),
      description: column('description'),
      stage: ({ stage_id: id }, { stage }) => stage(id),
      commit_sha: column('commit_sha'),
      target_date: column('target_date'),
    },
    ids: ID,
  },
  {
    name: 'issue_to_release',
    table: 'issue_to_releases',
    holds: (row, world) => ofLiveIssue(row, world) && ofLiveRelease(row, world),
    fields: { pipeline: ({ release_id: id }, world) => world.pipelineOfRelease(id), release, issue },
    ids: ID,
  },
  {
    name: 'release_note',
    table: 'release_notes',
    holds: ofLivePipeline,
    fields: {
      pipeline,
      title: column('title'),
      content: column('content'),
      releases: ({ id }, { releasesOfNote }) => releasesOfNote(id),
    },
    ids: ID,
  },
  {
    name: 'tracker_reaction',
    table: 'tracker_reactions',
    holds: ofLiveIssue,
    fields: {
      issue,
      comment: ({ comment_id: id }, { comment }) => comment(id),
      project: ({ project_update_id: id }, world) => world.projectOfUpdate(id),
      initiative: ({ initiative_update_id: id }, world) => ifAny(world.initiativeOfUpdate(id)),
      by,
      emoji: column('emoji'),
    },
    ids: ID,
  },
  ...TRACKER_SETTING_STATE,
  ...TRACKER_PEOPLE_STATE,
  ...TRACKER_AGENT_STATE,
  {
    name: 'installation',
    table: 'oauth_authorizations',
    holds: ({ ended_at: ended }) => ended === null,
    fields: {
      product: () => 'tracker',
      app: ({ application_id: id }, { application }) => application(id),
      user: ({ actor, user_id: id }, { user }) => (actor === 'app' ? null : user(id)),
      scopes: ({ scopes }) => sorted(scopes as string[]),
    },
  },
];
