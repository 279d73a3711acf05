-- Columns with secrets that the server has to read again: encrypted where SVC_SECRET_KEY is set (kernel/database/stored-secrets.ts).
-- A start looks through these and encrypts what is readable or under an older key; a table with such a column adds itself.
CREATE TABLE sealed_columns (
  tbl text COLLATE "C" NOT NULL,
  col text COLLATE "C" NOT NULL,
  PRIMARY KEY (tbl, col)
);

INSERT INTO sealed_columns (tbl, col) VALUES
  ('apps', 'signing_secret'), ('apps', 'verification_token'), ('event_targets', 'secret'), ('tracker_webhooks', 'secret');

-- their images are looked through as well: a reset puts them back
CREATE INDEX sandbox_undo_with_secrets ON sandbox_undo (tbl) WHERE tbl IN ('apps', 'event_targets', 'tracker_webhooks');

SELECT sandbox_leave('sealed_columns', 'of no tenant');
