-- Tables of earlier migrations that are part of a sandbox's state or not (0031 says how this is declared). A later migration
-- declares what it makes itself.
SELECT sandbox_track('pins', 'conversation', ARRAY['conversation_id', 'ts']);
SELECT sandbox_track('scheduled_messages', 'workspace', ARRAY['id']);
SELECT sandbox_track('files', 'workspace', ARRAY['id']);
SELECT sandbox_track('file_shares', 'conversation', ARRAY['file_id', 'conversation_id', 'ts']);

SELECT sandbox_leave(name, why) FROM (VALUES
  ('file_contents', 'bytes never change; those of a file that is gone are kept while a snapshot may need them'),
  ('ephemeral_messages', 'dropped by a reset'), ('assistant_threads', 'dropped by a reset'),
  ('triggers', 'dropped by a reset'), ('views', 'dropped by a reset'),
  ('socket_tickets', 'they end by themselves, in real time'), ('socket_connections', 'sockets stay connected'),
  ('socket_requests', 'dropped by a reset'), ('sign_in_links', 'sign-ins of people who are there outlive a reset'),
  ('browsers', 'of no tenant'), ('browser_sign_ins', 'sign-ins of people who are there outlive a reset')) l (name, why);
