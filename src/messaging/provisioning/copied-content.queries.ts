import { appColumns } from '../access/apps-access.queries.js';

/* Hand-written: parts of the one statement that tells what a copied tenant has. */

/** Apps of a workspace that are at home there, the default app first; secrets as they are stored. */
export const appsOfCopy = (workspace: string): string =>
  `SELECT ${appColumns('a')}, a.is_default AS "isDefault" FROM apps a
      WHERE a.workspace_id = ${workspace} AND a.home_id IS NULL ORDER BY a.is_default DESC, a.created_at, a.id`;

export const channelsOfCopy = (workspace: string): string =>
  `SELECT c.name, c.id FROM conversations c WHERE c.workspace_id = ${workspace} AND c.type IN ('public', 'private')`;

/** The ids of a workspace's apps. */
export const appIds = (workspace: string): string => `SELECT p.id FROM apps p WHERE p.workspace_id = ${workspace}`;
