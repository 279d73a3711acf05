/** What a mutation needs in the database, beside preload-mutations.mjs. */
export const PREPARED: Readonly<Record<string, string>> = {
  'an event is written after the commit': `
    CREATE TABLE late_events AS SELECT * FROM events WHERE false;
    CREATE FUNCTION postpone() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN INSERT INTO late_events SELECT (NEW).*; RETURN NULL; END';
    CREATE TRIGGER postponed BEFORE INSERT ON events FOR EACH ROW
      WHEN (NEW.kind = 'message' AND current_setting('late.now', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION postpone()`,
  'replies are read in two statements': `
    CREATE FUNCTION late_count(conversation text, parent bigint) RETURNS int LANGUAGE plpgsql VOLATILE AS
      'BEGIN PERFORM pg_sleep(0.8);
       RETURN (SELECT reply_count FROM messages WHERE conversation_id = conversation AND ts = parent); END'`,
};
