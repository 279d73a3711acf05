import { statement } from '../kernel/database/statement.js';
import {
  countsOfWorkspace,
  newestMessage,
  signingSecrets as secretsOfChat,
} from '../messaging/sandbox/chat-view.queries.js';
import { USER_ROWS, WORKSPACE_ROWS } from '../messaging/store/rows-to-join.queries.js';
import { countIssuesOfTenant, newestIssue } from '../tracker/issues/issue-counts.queries.js';
import { ORGANIZATION_ROWS, TRACKER_USER_ROWS } from '../tracker/store/rows-to-join.queries.js';
import { signingSecrets as secretsOfTracker } from '../tracker/webhooks/tracker-dialect.queries.js';

/*
 * Hand-written: what sandboxes ask of the tables of both products, in statements made of the parts that the products
 * declare. src/sandbox knows neither product, and takes these from here.
 */

export { APP_BY_NAME } from '../messaging/access/apps-access.queries.js';
export { appOfTarget } from '../messaging/events/event-targets.queries.js';
export { defaultAppOf, nameOfCaller, PEOPLE_NAMES } from '../messaging/sandbox/chat-view.queries.js';

/** Joins from a tenant to its workspace `w`, which has not ended, and its organization `o`, if it has one. */
export const withProducts = (tenant: string): string =>
  `JOIN ${WORKSPACE_ROWS} w ON w.tenant_id = ${tenant} AND w.deleted_at IS NULL
  LEFT JOIN ${ORGANIZATION_ROWS} o ON o.tenant_id = ${tenant}`;

/** Whether a workspace is that of a tenant. */
export const isWorkspaceOf = (workspace: string, tenant: string): string =>
  `EXISTS (SELECT FROM ${WORKSPACE_ROWS} w WHERE w.id = ${workspace} AND w.tenant_id = ${tenant})`;

/** How much is in the products of a workspace `w`, as columns. */
export const COUNTS_OF_PRODUCTS = `${countsOfWorkspace('w.id')},
     ${countIssuesOfTenant('w.tenant_id')} AS issues`;

/** A person by id, name or the id in the tracker. Parameters: workspace, what names them, organization. */
export const PERSON_OF_SANDBOX = statement(
  'sandbox_person',
  `SELECT u.id, u.name, u.is_bot AS "isBot", u.deleted_at IS NOT NULL OR coalesce(NOT t.active, false) AS disabled,
          u.profile ->> 'real_name' AS "realName", u.email
   FROM ${USER_ROWS} u LEFT JOIN ${TRACKER_USER_ROWS} t ON t.account_id = u.id AND t.organization_id = $3::uuid
   WHERE u.workspace_id = $1 AND (u.id = $2 OR u.name = $2 OR t.id::text = $2) ORDER BY u.id = $2 DESC LIMIT 1`,
);

/** When the newest message or issue was made, in microseconds. Parameters: workspace, organization. */
export const NEWEST_ROW = statement(
  'sandbox_newest',
  `SELECT greatest(${newestMessage('$1')}, ${newestIssue('$2::uuid')}) AS newest`,
);

/** Signing secrets of a tenant: of apps, outgoing webhooks, the tracker's webhooks. */
export const SIGNING_SECRETS = statement(
  'sandbox_signing_secrets',
  `${secretsOfChat('$1')}
   UNION ALL ${secretsOfTracker('$1')}
   LIMIT 1000`,
  { opens: ['secret'] },
);
