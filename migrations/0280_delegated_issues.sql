-- Issues that an application works on for a person, and issues that are out of sight until a moment.
ALTER TABLE issues ADD COLUMN delegate_id uuid;
ALTER TABLE issues ADD COLUMN snoozed_until_at timestamptz(3);
ALTER TABLE issues ADD COLUMN snoozed_by_id uuid;
CREATE INDEX issues_of_delegate ON issues (delegate_id, created_at, id) WHERE delegate_id IS NOT NULL;
