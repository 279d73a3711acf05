-- People subscribe to custom views too, which a reset restores later: the reference is checked at its end.
ALTER TABLE tracker_notification_subscriptions
  ADD COLUMN custom_view_id uuid REFERENCES custom_views (id) ON DELETE CASCADE DEFERRABLE,
  DROP CONSTRAINT tracker_notification_subscriptions_check,
  ADD CONSTRAINT tracker_notification_subscriptions_check
    CHECK (num_nonnulls(team_id, project_id, cycle_id, label_id, initiative_id, customer_id, custom_view_id, user_id) = 1);
CREATE UNIQUE INDEX tracker_notification_subscriptions_of_custom_view ON tracker_notification_subscriptions (custom_view_id, subscriber_id) WHERE custom_view_id IS NOT NULL;
