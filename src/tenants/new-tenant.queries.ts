import { statement } from '../kernel/database/statement.js';

/* By hand: the id alone is wanted back. */

export const INSERT_TENANT = statement('tenants_insert', 'INSERT INTO tenants (joinable) VALUES ($1) RETURNING id');
