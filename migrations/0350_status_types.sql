-- Compared as other words of declared entities are; it holds one of six of them.
ALTER TABLE project_statuses ALTER COLUMN type TYPE text COLLATE "default";
