import { statement } from '../kernel/database/statement.js';

/* By hand: one column, on the way of every operator's call. */

export const IS_DEFAULT_WORKSPACE = statement(
  'tenants_is_default',
  'SELECT is_default AS "isDefault" FROM workspaces WHERE id = $1',
);
