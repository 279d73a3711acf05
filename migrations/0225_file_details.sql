-- What a file's bytes say about it: lines and preview of a text, size of a picture. Null for all others, and for those from before.
ALTER TABLE files ADD COLUMN details jsonb;
