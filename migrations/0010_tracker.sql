-- The tracker. Ids are UUIDs (docs/reference/tracker.md#ids); moments have milliseconds, so that a cursor made of one finds its row again.
--
-- Big tables carry their organization and every index on them leads with it or with a key that implies it. They have
-- no foreign key to organizations, teams or states: those rows are locked by the write itself (counters, doors), and
-- checking them again would cost each insert; a tenant's rows go in batches by organization_id.
CREATE TABLE organizations (
  id uuid PRIMARY KEY,
  tenant_id bigint NOT NULL UNIQUE REFERENCES tenants (id) ON DELETE CASCADE,
  name text NOT NULL,
  url_key text COLLATE "C" NOT NULL UNIQUE,
  -- the last three given up, newest first
  previous_url_keys text[] NOT NULL DEFAULT '{}',
  logo_url text,
  git_branch_format text,
  fiscal_year_start_month double precision NOT NULL DEFAULT 0,
  -- docs/reference/tracker.md#lastsyncid: taken by the last statement of a transaction, so that number order is commit order
  last_sync_id bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- Every key an organization has or lately had: one table, so that the primary key referees both kinds of "taken".
CREATE TABLE organization_url_keys (
  url_key text COLLATE "C" PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE INDEX organization_url_keys_of_organization ON organization_url_keys (organization_id);

-- One row for an account in an organization.
CREATE TABLE tracker_users (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  account_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  display_name text NOT NULL,
  email text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  admin boolean NOT NULL DEFAULT false,
  owner boolean NOT NULL DEFAULT false,
  title text,
  description text,
  avatar_url text,
  timezone text,
  status_emoji text,
  status_label text,
  status_until_at timestamptz(3),
  disable_reason text,
  last_seen timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX tracker_users_account ON tracker_users (account_id, organization_id);
CREATE UNIQUE INDEX tracker_users_display_name ON tracker_users (organization_id, lower(display_name));
CREATE INDEX tracker_users_page ON tracker_users (organization_id, created_at, id);

CREATE TABLE teams (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  -- upper case
  key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  description text,
  color text,
  icon text,
  private boolean NOT NULL DEFAULT false,
  timezone text NOT NULL DEFAULT 'America/Los_Angeles',
  -- the numbers given out last; they only ever grow
  issue_counter integer NOT NULL DEFAULT 0,
  cycle_counter integer NOT NULL DEFAULT 0,
  cycles_enabled boolean NOT NULL DEFAULT false,
  cycle_duration double precision NOT NULL DEFAULT 2,
  cycle_start_day double precision NOT NULL DEFAULT 1,
  cycle_cooldown_time double precision NOT NULL DEFAULT 0,
  upcoming_cycle_count double precision NOT NULL DEFAULT 2,
  cycle_issue_auto_assign_started boolean NOT NULL DEFAULT false,
  cycle_issue_auto_assign_completed boolean NOT NULL DEFAULT false,
  cycle_lock_to_active boolean NOT NULL DEFAULT false,
  issue_estimation_type text COLLATE "C" NOT NULL DEFAULT 'notUsed',
  issue_estimation_allow_zero boolean NOT NULL DEFAULT false,
  issue_estimation_extended boolean NOT NULL DEFAULT false,
  default_issue_estimate double precision NOT NULL DEFAULT 1,
  default_issue_state_id uuid,
  auto_archive_period double precision NOT NULL DEFAULT 6,
  auto_close_period double precision,
  auto_close_state_id uuid,
  auto_close_parent_issues boolean,
  auto_close_child_issues boolean,
  set_issue_sort_order_on_state_change text COLLATE "C" NOT NULL DEFAULT 'default',
  group_issue_history boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  archived_at timestamptz(3)
) WITH (fillfactor = 50);
-- over archived teams too: a key stays taken
CREATE UNIQUE INDEX teams_key ON teams (organization_id, key);
CREATE INDEX teams_page ON teams (organization_id, created_at, id);
-- what a caller may not see or list is asked at every request (model/viewer.ts); most organizations have none of either
CREATE INDEX teams_private ON teams (organization_id) WHERE private;
CREATE INDEX teams_archived ON teams (organization_id) WHERE archived_at IS NOT NULL;

CREATE TABLE team_memberships (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  team_id uuid NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES tracker_users (id) ON DELETE CASCADE,
  owner boolean NOT NULL DEFAULT false,
  sort_order double precision NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX team_memberships_pair ON team_memberships (team_id, user_id);
CREATE INDEX team_memberships_of_user ON team_memberships (user_id, created_at, id);
CREATE INDEX team_memberships_page ON team_memberships (organization_id, created_at, id);

CREATE TABLE workflow_states (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  team_id uuid NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  name text NOT NULL,
  type text COLLATE "C" NOT NULL
    CHECK (type IN ('backlog', 'unstarted', 'started', 'completed', 'canceled', 'duplicate')),
  color text NOT NULL,
  position double precision NOT NULL,
  description text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  archived_at timestamptz(3)
);
CREATE UNIQUE INDEX workflow_states_name ON workflow_states (team_id, lower(name)) WHERE archived_at IS NULL;
CREATE INDEX workflow_states_of_team ON workflow_states (team_id, created_at, id);
CREATE INDEX workflow_states_page ON workflow_states (organization_id, created_at, id);

CREATE TABLE issue_labels (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  -- null: a label of the whole workspace
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  name text NOT NULL,
  color text NOT NULL,
  description text,
  is_group boolean NOT NULL DEFAULT false,
  parent_id uuid REFERENCES issue_labels (id) ON DELETE SET NULL,
  creator_id uuid,
  last_applied_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
-- A team's label may not be named like a workspace label either: that rule spans two scopes, so its writer locks the
-- organization's row (docs/reference/tracker.md#issuelabel); these referee within one.
CREATE UNIQUE INDEX issue_labels_workspace_name ON issue_labels (organization_id, lower(name)) WHERE team_id IS NULL;
CREATE UNIQUE INDEX issue_labels_team_name ON issue_labels (team_id, lower(name)) WHERE team_id IS NOT NULL;
CREATE INDEX issue_labels_page ON issue_labels (organization_id, created_at, id);
CREATE INDEX issue_labels_of_team ON issue_labels (team_id, created_at, id) WHERE team_id IS NOT NULL;
CREATE INDEX issue_labels_of_parent ON issue_labels (parent_id, created_at, id) WHERE parent_id IS NOT NULL;

CREATE TABLE project_statuses (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL,
  type text COLLATE "C" NOT NULL
    CHECK (type IN ('backlog', 'planned', 'started', 'paused', 'completed', 'canceled')),
  color text NOT NULL,
  position double precision NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX project_statuses_position ON project_statuses (organization_id, position);

CREATE TABLE projects (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL,
  description text NOT NULL DEFAULT '',
  content text,
  -- 12 lower-case hex characters
  slug_id text COLLATE "C" NOT NULL UNIQUE,
  icon text,
  color text NOT NULL DEFAULT '#bec2c8',
  status_id uuid NOT NULL REFERENCES project_statuses (id) ON DELETE CASCADE,
  priority smallint NOT NULL DEFAULT 0,
  sort_order double precision NOT NULL DEFAULT 0,
  priority_sort_order double precision NOT NULL DEFAULT 0,
  lead_id uuid,
  creator_id uuid,
  converted_from_issue_id uuid,
  start_date date,
  start_date_resolution text COLLATE "C",
  target_date date,
  target_date_resolution text COLLATE "C",
  started_at timestamptz(3),
  completed_at timestamptz(3),
  canceled_at timestamptz(3),
  trashed boolean,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  archived_at timestamptz(3)
);
CREATE INDEX projects_page ON projects (organization_id, created_at, id);
CREATE INDEX projects_updated_page ON projects (organization_id, updated_at, id);
CREATE INDEX projects_sort_order ON projects (organization_id, sort_order);
CREATE INDEX projects_of_converted_issue ON projects (converted_from_issue_id) WHERE converted_from_issue_id IS NOT NULL;

CREATE TABLE project_teams (
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  team_id uuid NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, team_id)
);
CREATE INDEX project_teams_of_team ON project_teams (team_id, project_id);

CREATE TABLE project_members (
  project_id uuid NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES tracker_users (id) ON DELETE CASCADE,
  PRIMARY KEY (project_id, user_id)
);
CREATE INDEX project_members_of_user ON project_members (user_id, project_id);

CREATE TABLE cycles (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  team_id uuid NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
  number integer NOT NULL,
  name text,
  description text,
  starts_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL,
  -- as given; without it a cycle completes when it ends (docs/reference/tracker.md#cycle)
  completed_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  archived_at timestamptz(3)
);
CREATE UNIQUE INDEX cycles_number ON cycles (team_id, number);
CREATE INDEX cycles_page ON cycles (organization_id, created_at, id);
CREATE INDEX cycles_of_team ON cycles (team_id, created_at, id);
CREATE INDEX cycles_of_team_by_start ON cycles (team_id, starts_at) WHERE archived_at IS NULL;

CREATE TABLE issues (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  team_id uuid NOT NULL,
  number integer NOT NULL,
  -- `{team.key}-{number}`, kept because it is read with every issue; a changed team key rewrites it
  identifier text COLLATE "C" NOT NULL,
  -- oldest first
  previous_identifiers text[] NOT NULL DEFAULT '{}',
  title text NOT NULL,
  description text,
  priority smallint NOT NULL DEFAULT 0,
  estimate double precision,
  due_date date,
  state_id uuid NOT NULL,
  assignee_id uuid,
  creator_id uuid,
  project_id uuid,
  cycle_id uuid,
  parent_id uuid REFERENCES issues (id) ON DELETE SET NULL,
  source_comment_id uuid,
  -- in the order of application. An array, not a table between: it is read with every issue and written with it.
  -- Who deletes a label takes it out of here while holding the label's row.
  label_ids uuid[] NOT NULL DEFAULT '{}',
  sort_order double precision NOT NULL DEFAULT 0,
  priority_sort_order double precision NOT NULL DEFAULT 0,
  sub_issue_sort_order double precision,
  started_at timestamptz(3),
  completed_at timestamptz(3),
  canceled_at timestamptz(3),
  added_to_team_at timestamptz(3),
  added_to_project_at timestamptz(3),
  added_to_cycle_at timestamptz(3),
  trashed boolean,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  archived_at timestamptz(3)
);
CREATE UNIQUE INDEX issues_identifier ON issues (organization_id, identifier);
CREATE UNIQUE INDEX issues_number ON issues (team_id, number);
CREATE INDEX issues_previous_identifiers ON issues USING gin (previous_identifiers)
  WHERE previous_identifiers <> '{}';
CREATE INDEX issues_page ON issues (organization_id, created_at, id) WHERE archived_at IS NULL;
CREATE INDEX issues_page_with_archived ON issues (organization_id, created_at, id);
CREATE INDEX issues_updated_page ON issues (organization_id, updated_at, id);
-- `archived_at` lets a team's issues be counted from the index alone
CREATE INDEX issues_of_team ON issues (team_id, created_at, id) INCLUDE (archived_at);
CREATE INDEX issues_of_state ON issues (state_id, created_at, id);
CREATE INDEX issues_of_creator ON issues (creator_id, created_at, id);
CREATE INDEX issues_of_assignee ON issues (assignee_id, created_at, id) WHERE assignee_id IS NOT NULL;
CREATE INDEX issues_of_project ON issues (project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX issues_of_cycle ON issues (cycle_id, created_at, id) WHERE cycle_id IS NOT NULL;
CREATE INDEX issues_of_parent ON issues (parent_id, created_at, id) WHERE parent_id IS NOT NULL;
CREATE INDEX issues_of_source_comment ON issues (source_comment_id, created_at, id) WHERE source_comment_id IS NOT NULL;
CREATE INDEX issues_of_label ON issues USING gin (label_ids);
-- the smallest of a team: where a new issue sorts
CREATE INDEX issues_sort_order ON issues (team_id, sort_order);
-- substring search in any of the texts; the planner takes an index of the organization where that is the narrower
CREATE INDEX issues_search ON issues
  USING gin (lower(title) gin_trgm_ops, lower(description) gin_trgm_ops, lower(identifier) gin_trgm_ops);

CREATE TABLE issue_subscribers (
  issue_id uuid NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  PRIMARY KEY (issue_id, user_id)
);

CREATE TABLE comments (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  issue_id uuid REFERENCES issues (id) ON DELETE CASCADE,
  project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  parent_id uuid REFERENCES comments (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  body text NOT NULL,
  quoted_text text,
  edited_at timestamptz(3),
  resolved_at timestamptz(3),
  resolving_user_id uuid,
  resolving_comment_id uuid REFERENCES comments (id) ON DELETE SET NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(issue_id, project_id) = 1)
);
CREATE INDEX comments_page ON comments (organization_id, created_at, id);
CREATE INDEX comments_updated_page ON comments (organization_id, updated_at, id);
CREATE INDEX comments_of_issue ON comments (issue_id, created_at, id) WHERE issue_id IS NOT NULL;
CREATE INDEX comments_of_project ON comments (project_id, created_at, id) WHERE project_id IS NOT NULL;
CREATE INDEX comments_of_parent ON comments (parent_id, created_at, id) WHERE parent_id IS NOT NULL;
CREATE INDEX comments_of_resolving ON comments (resolving_comment_id) WHERE resolving_comment_id IS NOT NULL;
CREATE INDEX comments_search ON comments USING gin (lower(body) gin_trgm_ops);

ALTER TABLE issues ADD FOREIGN KEY (source_comment_id) REFERENCES comments (id) ON DELETE SET NULL;
ALTER TABLE projects ADD FOREIGN KEY (converted_from_issue_id) REFERENCES issues (id) ON DELETE SET NULL;

-- SHA-256 (hex) of personal keys. Rows outlive revocation and their organization: an old key is refused as revoked,
-- and its hash can never be handed out again.
CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  hash text COLLATE "C" NOT NULL UNIQUE,
  label text NOT NULL,
  -- the first 12 characters of the key, for people
  start text COLLATE "C" NOT NULL,
  -- the default tenant's key, which operators reprint and rotate
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
CREATE INDEX api_keys_page ON api_keys (user_id, created_at, id) WHERE revoked_at IS NULL;

CREATE TABLE tracker_webhooks (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  url text NOT NULL,
  label text,
  resource_types text[] NOT NULL,
  -- a team, or all public teams
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  all_public_teams boolean NOT NULL,
  enabled boolean NOT NULL DEFAULT true,
  secret text NOT NULL,
  creator_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK (all_public_teams = (team_id IS NULL))
);
CREATE INDEX tracker_webhooks_page ON tracker_webhooks (organization_id, created_at, id);
