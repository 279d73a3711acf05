import { statement } from '../database/statement.js';

/* Hand-written: one statement counts the seats of a batch of sockets, with leases by the server's clock. */

/** A row no longer counts when its process has not renewed it for this long. */
const LEASE = `interval '60 seconds'`;

/** Credential, process, how many more. */
export const CHANGE_SEATS = statement(
  'socket_seats_change',
  `INSERT INTO socket_seats AS s (credential, process, seats, until) VALUES ($1, $2, $3, now() + ${LEASE})
   ON CONFLICT (credential, process) DO UPDATE SET seats = s.seats + $3, until = excluded.until`,
  { keeps: 'everything' },
);

export const COUNT_SEATS = statement(
  'socket_seats_count',
  'SELECT coalesce(sum(seats), 0)::int AS seats FROM socket_seats WHERE credential = $1 AND until > now()',
);

/** Renews a process's seats: process, credentials, seats. Expired rows are deleted. */
export const RENEW_SEATS = statement(
  'socket_seats_renew',
  `WITH lapsed AS (
     DELETE FROM socket_seats
     WHERE CASE WHEN process = $1 THEN credential <> ALL($2::text[]) ELSE until < now() - ${LEASE} END)
   INSERT INTO socket_seats (credential, process, seats, until)
   SELECT h.credential, $1, h.seats, now() + ${LEASE} FROM unnest($2::text[], $3::int[]) AS h (credential, seats)
   ORDER BY h.credential
   ON CONFLICT (credential, process) DO UPDATE SET seats = excluded.seats, until = excluded.until`,
  { keeps: 'everything' },
);
