CREATE OR REPLACE FUNCTION track_children_of_project() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM project_teams WHERE project_id = OLD.id;
  DELETE FROM project_members WHERE project_id = OLD.id;
  RETURN OLD;
END $$;
