-- Favorites of releases, their notes and pipelines.
ALTER TABLE favorites
  ADD COLUMN release_id uuid REFERENCES releases (id) ON DELETE CASCADE,
  ADD COLUMN release_note_id uuid REFERENCES release_notes (id) ON DELETE CASCADE,
  ADD COLUMN release_pipeline_id uuid REFERENCES release_pipelines (id) ON DELETE CASCADE,
  DROP CONSTRAINT favorites_check,
  ADD CONSTRAINT favorites_check CHECK (num_nonnulls(folder_name, predefined_view_type, issue_id, project_id, cycle_id, custom_view_id, document_id, label_id, project_label_id, user_id, customer_id, initiative_id, team_id, release_id, release_note_id, release_pipeline_id) = 1);
CREATE UNIQUE INDEX favorites_of_release ON favorites (release_id, owner_id) WHERE release_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_release_note ON favorites (release_note_id, owner_id) WHERE release_note_id IS NOT NULL;
CREATE UNIQUE INDEX favorites_of_release_pipeline ON favorites (release_pipeline_id, owner_id) WHERE release_pipeline_id IS NOT NULL;
