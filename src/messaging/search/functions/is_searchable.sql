-- What people wrote with a subtype of its own is searched like the rest.
CREATE OR REPLACE FUNCTION is_searchable(subtype text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN subtype IS NULL OR subtype IN ('bot_message', 'thread_broadcast', 'me_message', 'file_share');
