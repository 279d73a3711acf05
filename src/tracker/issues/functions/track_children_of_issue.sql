-- The rows of these go with their parent, which then no longer leads them to their tenant.
CREATE OR REPLACE FUNCTION track_children_of_issue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM issue_subscribers WHERE issue_id = OLD.id;
  RETURN OLD;
END $$;
