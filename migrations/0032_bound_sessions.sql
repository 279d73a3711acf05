-- Sessions that a sandbox hands out for a person open that sandbox alone, and end with what they came from: the session
-- or the control token of whoever asked for them.
ALTER TABLE sessions ADD COLUMN via text COLLATE "C";
CREATE INDEX sessions_via ON sessions (via) WHERE via IS NOT NULL;
