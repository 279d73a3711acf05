-- What people are told of issues, projects, documents and initiatives, each of one person.
CREATE TABLE tracker_notifications (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES tracker_users (id) ON DELETE CASCADE,
  actor_id uuid,
  type text NOT NULL,
  -- exactly one of the things is set, and `thing_id` is its id: what a person's inbox is grouped by
  thing_id uuid NOT NULL,
  issue_id uuid REFERENCES issues (id) ON DELETE CASCADE,
  project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  document_id uuid REFERENCES documents (id) ON DELETE CASCADE,
  initiative_id uuid REFERENCES initiatives (id) ON DELETE CASCADE,
  comment_id uuid REFERENCES comments (id) ON DELETE CASCADE,
  project_update_id uuid REFERENCES project_updates (id) ON DELETE CASCADE,
  initiative_update_id uuid REFERENCES initiative_updates (id) ON DELETE CASCADE,
  reaction_emoji text,
  bot_actor jsonb,
  -- the subscriptions that asked for it
  subscription_ids uuid[] NOT NULL DEFAULT '{}',
  read_at timestamptz(3),
  -- by the sandbox's clock
  snoozed_until_at timestamptz(3),
  unsnoozed_at timestamptz(3),
  archived_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT tracker_notifications_check CHECK (num_nonnulls(issue_id, project_id, document_id, initiative_id) = 1)
);
CREATE INDEX tracker_notifications_page ON tracker_notifications (organization_id, user_id, created_at, id);
CREATE INDEX tracker_notifications_group ON tracker_notifications (user_id, thing_id, created_at, id);
CREATE INDEX tracker_notifications_of_issue ON tracker_notifications (issue_id) WHERE issue_id IS NOT NULL;
CREATE INDEX tracker_notifications_of_project ON tracker_notifications (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX tracker_notifications_of_document ON tracker_notifications (document_id) WHERE document_id IS NOT NULL;
CREATE INDEX tracker_notifications_of_initiative ON tracker_notifications (initiative_id) WHERE initiative_id IS NOT NULL;
CREATE INDEX tracker_notifications_of_comment ON tracker_notifications (comment_id) WHERE comment_id IS NOT NULL;
CREATE INDEX tracker_notifications_of_project_update ON tracker_notifications (project_update_id) WHERE project_update_id IS NOT NULL;
CREATE INDEX tracker_notifications_of_initiative_update ON tracker_notifications (initiative_update_id) WHERE initiative_update_id IS NOT NULL;
CREATE INDEX tracker_notifications_snoozed ON tracker_notifications (snoozed_until_at) WHERE snoozed_until_at IS NOT NULL;

SELECT sandbox_track('tracker_notifications', 'organization', ARRAY['id']);

-- What people want to be told of everything in a team, project and so on.
CREATE TABLE tracker_notification_subscriptions (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  subscriber_id uuid NOT NULL REFERENCES tracker_users (id) ON DELETE CASCADE,
  team_id uuid REFERENCES teams (id) ON DELETE CASCADE,
  project_id uuid REFERENCES projects (id) ON DELETE CASCADE,
  cycle_id uuid REFERENCES cycles (id) ON DELETE CASCADE,
  label_id uuid REFERENCES issue_labels (id) ON DELETE CASCADE,
  initiative_id uuid REFERENCES initiatives (id) ON DELETE CASCADE,
  customer_id uuid REFERENCES customers (id) ON DELETE CASCADE,
  user_id uuid REFERENCES tracker_users (id) ON DELETE CASCADE,
  notification_subscription_types text[] NOT NULL DEFAULT '{}',
  include_sub_initiative_updates boolean NOT NULL DEFAULT false,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT tracker_notification_subscriptions_check
    CHECK (num_nonnulls(team_id, project_id, cycle_id, label_id, initiative_id, customer_id, user_id) = 1)
);
CREATE INDEX tracker_notification_subscriptions_page ON tracker_notification_subscriptions (organization_id, subscriber_id, created_at, id);
-- one of a person and a target
CREATE UNIQUE INDEX tracker_notification_subscriptions_of_team ON tracker_notification_subscriptions (team_id, subscriber_id) WHERE team_id IS NOT NULL;
CREATE UNIQUE INDEX tracker_notification_subscriptions_of_project ON tracker_notification_subscriptions (project_id, subscriber_id) WHERE project_id IS NOT NULL;
CREATE UNIQUE INDEX tracker_notification_subscriptions_of_cycle ON tracker_notification_subscriptions (cycle_id, subscriber_id) WHERE cycle_id IS NOT NULL;
CREATE UNIQUE INDEX tracker_notification_subscriptions_of_label ON tracker_notification_subscriptions (label_id, subscriber_id) WHERE label_id IS NOT NULL;
CREATE UNIQUE INDEX tracker_notification_subscriptions_of_initiative ON tracker_notification_subscriptions (initiative_id, subscriber_id) WHERE initiative_id IS NOT NULL;
CREATE UNIQUE INDEX tracker_notification_subscriptions_of_customer ON tracker_notification_subscriptions (customer_id, subscriber_id) WHERE customer_id IS NOT NULL;
CREATE UNIQUE INDEX tracker_notification_subscriptions_of_user ON tracker_notification_subscriptions (user_id, subscriber_id) WHERE user_id IS NOT NULL;

SELECT sandbox_track('tracker_notification_subscriptions', 'organization', ARRAY['id']);

-- When people want to be reminded of issues, by the sandbox's clock; gone when they were.
CREATE TABLE tracker_issue_reminders (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  issue_id uuid NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES tracker_users (id) ON DELETE CASCADE,
  remind_at timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX tracker_issue_reminders_of_issue ON tracker_issue_reminders (issue_id, user_id);
CREATE INDEX tracker_issue_reminders_due ON tracker_issue_reminders (remind_at);
CREATE INDEX tracker_issue_reminders_page ON tracker_issue_reminders (organization_id);

SELECT sandbox_track('tracker_issue_reminders', 'organization', ARRAY['id']);
