import { eachOf, statement } from '../../kernel/database/statement.js';
import { conversationColumns } from '../store/conversation.entity.js';
import { sqlIsClosed } from './conversation-access.queries.js';
import type { TokenKind } from '../store/token.entity.js';
import type { VisibleConversation } from './identity.js';
import type { Role } from '../store/user.entity.js';

/* Hand-written: every call begins here: a batch of tokens with user, workspace, app and conversation in one read. */

/** The conversation that a call names, with the caller's own part in it. */
const NAMED = `m.user_id IS NOT NULL AS "isMember", ${sqlIsClosed('c', 'm')} AS "isClosed", ${conversationColumns('c', ['lastTs'])}`;

/** Configuration tokens are of no app, and people sign in to apps that are only registered elsewhere. */
const WITHOUT_APP = `CASE WHEN t.kind LIKE 'openid%' THEN EXISTS (
       SELECT FROM apps h JOIN workspaces o ON o.id = h.workspace_id AND o.deleted_at IS NULL WHERE h.id = t.app_id AND h.home_id IS NULL)
     ELSE t.kind LIKE 'config%' END`;

/**
 * Who holds the tokens of `r`, and the conversation that the same call names, as `f`: nearly every call needs both. The
 * caller's membership decides later whether that conversation is visible.
 */
const HOLDERS = `
   JOIN tokens t ON t.hash = r.hash
   LEFT JOIN workspaces w ON w.id = t.workspace_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   LEFT JOIN users u ON u.workspace_id = t.workspace_id AND u.id = t.user_id
   LEFT JOIN apps a ON a.workspace_id = t.workspace_id AND a.id = t.app_id
   LEFT JOIN conversations c ON c.id = r.channel AND c.workspace_id = t.workspace_id
   LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = t.user_id
   CROSS JOIN LATERAL (
     SELECT t.kind, t.user_id, t.workspace_id, t.scopes, (t.revoked_at IS NOT NULL OR t.kind = 'workflow' AND t.created_at <= sb.reset_at) AS revoked,
            t.expires_at, t.is_consented,
            (w.id IS NULL OR w.deleted_at IS NOT NULL OR a.id IS NULL AND NOT ${WITHOUT_APP}
              OR t.kind <> 'app' AND (u.id IS NULL OR u.deleted_at IS NOT NULL AND NOT (u.is_bot AND t.revoked_at IS NOT NULL))) AS inactive,
            w.tenant_id, w.name AS workspace_name, w.domain AS workspace_domain, u.name AS user_name, u.role, u.is_bot,
            a.id AS app_id, a.name AS app_name, a.bot_id, a.bot_user_id, a.created_at AS app_created_at,
            sb.flags AS sandbox, ${NAMED}) f`;

/** Two rows with the same digest say the same of a caller. */
const DIGEST = 'md5(f::text)';

export const TOKEN_HOLDERS = statement(
  'chat_token_holders',
  `SELECT r.n, f.*, ${DIGEST} AS digest
   FROM ${eachOf('$1::text[]', '$2::text[]')} AS r (hash, channel, n) ${HOLDERS}`,
);

/** Whether what is remembered of token holders is still so. $`first` hashes, then conversations, then digests. */
export const sqlHolderProof = (first: number): string =>
  `SELECT r.n, ${DIGEST} = r.digest AS holds
   FROM ${eachOf(`$${first}::text[]`, `$${first + 1}::text[]`, `$${first + 2}::text[]`)} AS r (hash, channel, digest, n)
   ${HOLDERS}`;

export const ACCOUNT_HOLDERS = statement(
  'chat_account_holders',
  `SELECT r.n, s.sid IS NULL AS unknown, s.ended_at IS NOT NULL AS revoked,
          a.deactivated_at IS NOT NULL AS deactivated, w.id IS NOT NULL AND w.deleted_at IS NULL AS workspace_lives,
          w.id AS workspace_id, w.tenant_id, w.name AS workspace_name, w.domain AS workspace_domain, u.id AS user_id, u.name AS user_name, u.role, u.is_bot,
          u.deleted_at IS NOT NULL AS user_deleted,
          sb.flags AS sandbox, ${NAMED}
   FROM ${eachOf('$1::text[]', '$2::text[]', '$3::text[]', '$4::text[]')} AS r (sid, account_id, team_id, channel, n)
   LEFT JOIN sessions s ON s.sid = r.sid AND s.account_id = r.account_id
   LEFT JOIN accounts a ON a.id = r.account_id
   LEFT JOIN workspaces w ON w.id = r.team_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   LEFT JOIN users u ON u.workspace_id = w.id AND u.id = r.account_id
   LEFT JOIN conversations c ON c.id = r.channel AND c.workspace_id = w.id
   LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = u.id`,
);

/** What both know of a caller who may be somebody. */
interface CallerRow extends Partial<VisibleConversation> {
  n: number;
  revoked: boolean;
  workspace_id: string;
  workspace_name: string;
  workspace_domain: string;
  tenant_id: number;
  sandbox: string | null;
  user_name: string;
  role: Role;
  is_bot: boolean;
  isMember: boolean;
}

/** The user is null for an app-level token of an app that was never installed at home. */
export interface HolderRow extends Omit<CallerRow, 'user_name' | 'role' | 'is_bot'> {
  kind: TokenKind;
  user_id: string;
  user_name: string | null;
  role: Role | null;
  is_bot: boolean | null;
  scopes: string[];
  inactive: boolean;
  expires_at: number | null;
  is_consented: boolean;
  app_id: string | null;
  app_name: string;
  bot_id: string;
  bot_user_id: string;
  app_created_at: number;
  digest: string;
}

export interface AccountRow extends CallerRow {
  unknown: boolean;
  deactivated: boolean;
  workspace_lives: boolean;
  user_id: string | null;
  user_deleted: boolean;
}
