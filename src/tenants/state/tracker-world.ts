import { hashOf, sorted, type Row, type StateRows } from './state-entity.js';

/** What issues and comments of a state say of everything else by name. */
export class TrackerWorld {
  private readonly teams: ReadonlyMap<string, Row[]>;
  private readonly people: ReadonlyMap<string, Row[]>;
  private readonly pipelineTeams: ReadonlyMap<string, Row[]>;
  private readonly noteReleases: ReadonlyMap<string, Row[]>;

  constructor(private readonly rows: StateRows) {
    this.teams = rows.grouped('project_teams', ({ project_id: id }) => String(id));
    this.people = rows.grouped('project_members', ({ project_id: id }) => String(id));
    this.pipelineTeams = rows.grouped('release_pipeline_teams', ({ pipeline_id: id }) => String(id));
    this.noteReleases = rows.grouped('release_note_releases', ({ note_id: id }) => String(id));
  }

  /** By the handle that they have in Chat, or the display name of those who are not there. */
  user = (id: unknown): unknown => {
    const user = this.rows.by('tracker_users', 'id', id);
    return this.rows.by('users', 'id', user?.['account_id'])?.['name'] ?? user?.['display_name'] ?? null;
  };

  private named =
    (table: string, name = 'name') =>
    (id: unknown): unknown =>
      this.rows.by(table, 'id', id)?.[name] ?? null;

  team = this.named('teams', 'key');
  state = this.named('workflow_states');
  label = this.named('issue_labels');
  projectLabel = this.named('project_labels');
  project = this.named('projects');
  cycle = this.named('cycles', 'number');
  status = this.named('project_statuses');
  document = this.named('documents', 'title');
  milestone = this.named('project_milestones');
  application = this.named('oauth_applications');

  /** Of whatever has this id; null for what is gone. */
  nameOf = (id: unknown): unknown =>
    [
      this.user,
      this.state,
      this.label,
      this.projectLabel,
      this.project,
      this.milestone,
      this.cycle,
      this.status,
      this.team,
    ]
      .map((find) => find(id))
      .find((name) => name !== null) ?? this.issue(id);

  /** `ENG: Fix login` */
  issue = (id: unknown): string | null => {
    const issue = this.rows.by('issues', 'id', id);
    return issue ? `${String(this.team(issue['team_id']))}: ${String(issue['title'])}` : null;
  };

  comment = (id: unknown): string | null => {
    const comment = this.rows.by('comments', 'id', id);
    return comment ? hashOf({ by: this.user(comment['user_id']), body: comment['body'] }) : null;
  };

  /** The project of a project update. */
  projectOfUpdate = (id: unknown): unknown => {
    const update = this.rows.by('project_updates', 'id', id);
    return update ? this.project(update['project_id']) : null;
  };

  initiative = this.named('initiatives');
  initiativeLabel = this.named('initiative_labels');
  customer = this.named('customers');
  customerStatus = this.named('customer_statuses');
  customerTier = this.named('customer_tiers');

  /** The initiative of an initiative update. */
  initiativeOfUpdate = (id: unknown): unknown => {
    const update = this.rows.by('initiative_updates', 'id', id);
    return update ? this.initiative(update['initiative_id']) : null;
  };

  customView = this.named('custom_views');
  releaseNote = this.named('release_notes', 'title');
  pipeline = this.named('release_pipelines');
  stage = this.named('release_stages');
  release = this.named('releases');

  /** The session of an activity. */
  session = (id: unknown): Row | undefined => this.rows.by('tracker_agent_sessions', 'id', id);

  /** The application whose user somebody is. */
  agent = (id: unknown): unknown => this.application(this.rows.by('tracker_users', 'id', id)?.['application_id']);

  /** The folder that a favorite is in. */
  folder = (id: unknown): unknown => this.rows.by('favorites', 'id', id)?.['folder_name'] ?? null;

  /** The pipeline of a release. */
  pipelineOfRelease = (id: unknown): unknown => this.pipeline(this.rows.by('releases', 'id', id)?.['pipeline_id']);

  teamsOfPipeline = (id: unknown): string[] =>
    sorted((this.pipelineTeams.get(String(id)) ?? []).map(({ team_id: team }) => this.team(team)));

  releasesOfNote = (id: unknown): string[] =>
    sorted((this.noteReleases.get(String(id)) ?? []).map(({ release_id: release }) => this.release(release)));

  teamsOf = (project: unknown): string[] =>
    sorted((this.teams.get(String(project)) ?? []).map(({ team_id: id }) => this.team(id)));

  membersOf = (project: unknown): string[] =>
    sorted((this.people.get(String(project)) ?? []).map(({ user_id: id }) => this.user(id)));

  /** What was deleted is in no state, nor is what hangs on it. */
  isThere = (table: 'issues' | 'projects' | 'initiatives' | 'releases' | 'release_pipelines', id: unknown): boolean =>
    id === null ||
    this.rows.by(table, 'id', id)?.['trashed'] === null ||
    this.rows.by(table, 'id', id)?.['trashed'] === false;
}
