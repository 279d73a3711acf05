-- Files of the tracker. A row begins as a place to upload to, which has no content yet.
CREATE TABLE tracker_files (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  filename text NOT NULL,
  content_type text NOT NULL,
  size integer NOT NULL,
  meta_data jsonb,
  is_public boolean NOT NULL DEFAULT false,
  -- SHA-256 of the upload URL's secret part; null once it was used
  upload_hash text COLLATE "C",
  -- SHA-256 of the bytes
  content_hash text COLLATE "C",
  -- real time: upload URLs and forgotten places do not live by a sandbox's clock
  upload_until timestamptz NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX tracker_files_upload ON tracker_files (upload_hash) WHERE upload_hash IS NOT NULL;
CREATE INDEX tracker_files_unfinished ON tracker_files (upload_until) WHERE content_hash IS NULL;
CREATE INDEX tracker_files_content ON tracker_files (organization_id, content_hash);

-- The bytes, once for equal files of an organization.
CREATE TABLE tracker_file_contents (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  hash text COLLATE "C" NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (organization_id, hash)
);
ALTER TABLE tracker_file_contents ALTER COLUMN bytes SET STORAGE EXTERNAL;

SELECT sandbox_track('tracker_files', 'organization', ARRAY['id']);
SELECT sandbox_leave('tracker_file_contents', 'bytes never change; those of a file that is gone are kept while a snapshot may need them');
