import { statement } from '../kernel/database/statement.js';

/* Hand-written: only the id is returned. */

export const INSERT_TENANT = statement('tenants_insert', 'INSERT INTO tenants (joinable) VALUES ($1) RETURNING id');
