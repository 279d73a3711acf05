-- How many connections to the realtime channel a credential holds at each process; rows of a process that is gone lapse.
CREATE TABLE socket_seats (
  -- SHA-256 (hex)
  credential text COLLATE "C" NOT NULL,
  process uuid NOT NULL,
  seats integer NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (credential, process)
) WITH (fillfactor = 70);
CREATE INDEX socket_seats_lapsed ON socket_seats (until);

SELECT sandbox_leave('socket_seats', 'of no tenant; sockets stay connected');
