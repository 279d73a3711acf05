-- Ephemeral messages of sandboxes whose clock stands still go after a day of real time.
ALTER TABLE ephemeral_messages ADD COLUMN stored_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX ephemeral_messages_stored ON ephemeral_messages (stored_at);
