-- Statuses of projects can be made, changed and archived.
ALTER TABLE project_statuses ADD COLUMN description text;
ALTER TABLE project_statuses ADD COLUMN indefinite boolean NOT NULL DEFAULT false;
ALTER TABLE project_statuses ADD COLUMN archived_at timestamptz(3);
DROP INDEX project_statuses_position;
CREATE INDEX project_statuses_position ON project_statuses (organization_id, position);
