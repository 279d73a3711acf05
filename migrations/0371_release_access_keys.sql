-- Keys with which a pipeline's tools say what is released; stored as hashes.
CREATE TABLE release_access_keys (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  pipeline_id uuid NOT NULL REFERENCES release_pipelines (id) ON DELETE CASCADE,
  user_id uuid NOT NULL,
  label text NOT NULL DEFAULT '',
  hash text NOT NULL,
  start text NOT NULL,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX release_access_keys_hash ON release_access_keys (hash);
CREATE INDEX release_access_keys_page ON release_access_keys (organization_id, created_at, id);
CREATE INDEX release_access_keys_of_pipeline ON release_access_keys (pipeline_id);

SELECT sandbox_track('release_access_keys', 'organization', ARRAY['id'], ARRAY['last_used_at']);
