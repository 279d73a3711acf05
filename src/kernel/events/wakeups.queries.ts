/* By hand: a function of the server, called on a connection of its own. */

export const NOTIFY = 'SELECT pg_notify($1, $2)';
