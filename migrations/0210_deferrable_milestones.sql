-- References to rows that a reset restores later are checked at its end.
ALTER TABLE issues ALTER CONSTRAINT issues_project_milestone_id_fkey DEFERRABLE;
ALTER TABLE comments ALTER CONSTRAINT comments_project_update_id_fkey DEFERRABLE;
ALTER TABLE tracker_reactions ALTER CONSTRAINT tracker_reactions_project_update_id_fkey DEFERRABLE;
