-- Labels of initiatives, as those of issues and projects, but that teams have none.
CREATE TABLE initiative_labels (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  name text NOT NULL,
  color text NOT NULL,
  description text,
  is_group boolean NOT NULL DEFAULT false,
  parent_id uuid REFERENCES initiative_labels (id) ON DELETE SET NULL DEFERRABLE,
  creator_id uuid,
  last_applied_at timestamptz(3),
  retired_by_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX initiative_labels_name ON initiative_labels (organization_id, lower(name));
CREATE INDEX initiative_labels_page ON initiative_labels (organization_id, created_at, id);
CREATE INDEX initiative_labels_of_parent ON initiative_labels (parent_id, created_at, id) WHERE parent_id IS NOT NULL;

SELECT sandbox_track('initiative_labels', 'organization', ARRAY['id']);

ALTER TABLE initiatives ADD COLUMN label_ids uuid[] NOT NULL DEFAULT '{}';
CREATE INDEX initiatives_of_label ON initiatives USING gin (label_ids);
