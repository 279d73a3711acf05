/* Hand-written: calls a server function on a connection of its own. */

export const NOTIFY = 'SELECT pg_notify($1, $2)';
