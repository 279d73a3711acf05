/* Hand-written: calls a server function on a connection of its own. */

export const NOTIFY = 'SELECT pg_notify($1, $2)';

export const OWN_PROCESS = 'SELECT pg_backend_pid() AS pid';
