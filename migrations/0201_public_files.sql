-- The secret part of a file's public URL (files.sharedPublicURL); null: it has none.
ALTER TABLE files ADD COLUMN public_secret text COLLATE "C";
