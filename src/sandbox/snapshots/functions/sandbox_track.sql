-- @param inserts false where new rows are found in another way (messages: by the conversation's counter)
CREATE OR REPLACE FUNCTION sandbox_track(tbl text, owner text, keys text[], keep text[] DEFAULT '{}', inserts boolean DEFAULT true)
  RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE
  t sandbox_tables;
BEGIN
  INSERT INTO sandbox_tables (name, owner, keys, keep) VALUES (tbl, owner, keys, keep) RETURNING * INTO t;
  PERFORM sandbox_track_functions(t);
  IF inserts THEN
    EXECUTE format('CREATE TRIGGER track_new AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
      tbl, 'track_new_' || tbl);
  END IF;
  EXECUTE format('CREATE TRIGGER track_changed AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    tbl, CASE WHEN keep = '{}' THEN 'track_old_' ELSE 'track_changed_' END || tbl);
  EXECUTE format('CREATE TRIGGER track_gone AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION %I()',
    tbl, 'track_old_' || tbl);
END $fn$;
