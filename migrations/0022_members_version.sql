-- Counts changes of who is a member: a statement that waited for the conversation's row learns that it saw the members of
-- before (model/message-log.ts).
ALTER TABLE conversations ADD COLUMN members_version integer NOT NULL DEFAULT 0;
