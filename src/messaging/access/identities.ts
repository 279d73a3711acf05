import { Injectable } from '@nestjs/common';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { MessagingError } from '../wire/codes.js';
import { conversationColumns, type Conversation } from '../store/conversation.entity.js';
import { sqlIsClosed } from './conversation-access.js';
import type { Identity, Role, VisibleConversation } from './identity.js';
import { TokenUses } from './token-uses.js';

/**
 * Who holds a token, and the conversation that the same call names, in one round trip: nearly every call needs both.
 * The caller's membership decides later whether that conversation is visible.
 */
const TOKEN_HOLDERS = statement(
  'chat_token_holders',
  `SELECT r.n, t.kind, t.user_id, t.workspace_id, t.scopes, t.revoked_at IS NOT NULL AS revoked,
          (w.id IS NULL OR w.deleted_at IS NOT NULL OR u.id IS NULL OR u.deleted_at IS NOT NULL OR a.id IS NULL) AS inactive,
          w.tenant_id, u.name AS user_name, u.role, u.is_bot,
          a.id AS app_id, a.name AS app_name, a.bot_id, a.bot_user_id, a.created_at AS app_created_at,
          sb.flags AS sandbox, m.user_id IS NOT NULL AS "isMember", ${sqlIsClosed('c', 'm')} AS "isClosed", ${conversationColumns('c')}
   FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS r (hash, channel, n)
   JOIN tokens t ON t.hash = r.hash
   LEFT JOIN workspaces w ON w.id = t.workspace_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   LEFT JOIN users u ON u.workspace_id = t.workspace_id AND u.id = t.user_id
   LEFT JOIN apps a ON a.id = t.app_id
   LEFT JOIN conversations c ON c.id = r.channel AND c.workspace_id = t.workspace_id
   LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = t.user_id`,
);

const ACCOUNT_HOLDERS = statement(
  'chat_account_holders',
  `SELECT r.n, s.sid IS NULL AS unknown, s.ended_at IS NOT NULL AS revoked,
          a.deactivated_at IS NOT NULL AS deactivated, w.id IS NOT NULL AND w.deleted_at IS NULL AS workspace_lives,
          w.id AS workspace_id, w.tenant_id, u.id AS user_id, u.name AS user_name, u.role, u.is_bot,
          u.deleted_at IS NOT NULL AS user_deleted,
          sb.flags AS sandbox, m.user_id IS NOT NULL AS "isMember", ${sqlIsClosed('c', 'm')} AS "isClosed", ${conversationColumns('c')}
   FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS r (sid, account_id, team_id, channel, n)
   LEFT JOIN sessions s ON s.sid = r.sid AND s.account_id = r.account_id
   LEFT JOIN accounts a ON a.id = r.account_id
   LEFT JOIN workspaces w ON w.id = r.team_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = w.tenant_id
   LEFT JOIN users u ON u.workspace_id = w.id AND u.id = r.account_id
   LEFT JOIN conversations c ON c.id = r.channel AND c.workspace_id = w.id
   LEFT JOIN members m ON m.conversation_id = c.id AND m.user_id = u.id`,
);

interface HolderRow extends Partial<Conversation> {
  n: number;
  kind: 'bot' | 'user' | 'app';
  user_id: string;
  workspace_id: string;
  scopes: string[];
  revoked: boolean;
  inactive: boolean;
  tenant_id: number;
  sandbox: string | null;
  user_name: string;
  role: Role;
  is_bot: boolean;
  app_id: string | null;
  app_name: string;
  bot_id: string;
  bot_user_id: string;
  app_created_at: number;
  isMember: boolean;
}

interface AccountRow extends Partial<Conversation> {
  n: number;
  unknown: boolean;
  revoked: boolean;
  deactivated: boolean;
  workspace_lives: boolean;
  workspace_id: string;
  tenant_id: number;
  sandbox: string | null;
  user_id: string | null;
  user_name: string;
  role: Role;
  is_bot: boolean;
  user_deleted: boolean;
  isMember: boolean;
}

/** What one look-up answers: the caller, and the conversation it named if that exists in the caller's workspace. */
export interface Identified {
  readonly identity: Identity;
  readonly conversation: VisibleConversation | null;
}

/** A verified access token: the account, its session, and the workspace that the call is about. */
export interface AccountClaim {
  readonly accountId: string;
  readonly sid: string;
  readonly teamId: string;
  /** True when the call named the workspace itself (`team_id`), false when the token did. */
  readonly teamGiven: boolean;
  /** The token is one of the web UI's. */
  readonly ui?: boolean;
}

const CONVERSATION_ID = /^[CDG][0-9A-Z]{9,}$/;

/** Finds the identity behind a credential. Nothing is cached: what one replica revoked is dead on all in the next call. */
@Injectable()
export class Identities {
  private readonly holders: (key: { hash: string; channel: string | null }) => Promise<HolderRow | undefined>;
  private readonly accounts: (key: AccountClaim & { channel: string | null }) => Promise<AccountRow | undefined>;

  constructor(
    private readonly db: Db,
    private readonly sandboxes: SandboxReader,
    private readonly uses: TokenUses,
  ) {
    this.holders = coalesce(
      async (keys) =>
        byNumber(
          await this.db.read<HolderRow>(TOKEN_HOLDERS, [keys.map((key) => key.hash), keys.map((key) => key.channel)]),
          keys.length,
        ),
      { name: 'identities.by_token' },
    );
    this.accounts = coalesce(
      async (keys) =>
        byNumber(
          await this.db.read<AccountRow>(ACCOUNT_HOLDERS, [
            keys.map((key) => key.sid),
            keys.map((key) => key.accountId),
            keys.map((key) => key.teamId),
            keys.map((key) => key.channel),
          ]),
          keys.length,
        ),
      { name: 'identities.by_session' },
    );
  }

  /** @throws MessagingError invalid_auth, token_revoked, account_inactive */
  async ofToken(hash: string, channel: unknown): Promise<Identified> {
    const row = await this.holders({ hash, channel: conversationId(channel) });
    // an app that is gone leaves nobody behind its app-level token
    if (!row || (row.kind === 'app' && row.app_id === null && row.tenant_id !== null)) {
      throw new MessagingError('invalid_auth');
    }
    if (row.inactive) throw new MessagingError('account_inactive');
    if (row.revoked) throw new MessagingError('token_revoked');
    this.uses.note(hash);
    return {
      identity: {
        kind: row.kind,
        tenantId: row.tenant_id,
        sandbox: this.sandboxes.ofCall(row.sandbox) as SandboxFlags,
        workspaceId: row.workspace_id,
        userId: row.user_id,
        userName: row.user_name,
        role: row.role,
        isBot: row.is_bot,
        app: {
          id: row.app_id as string,
          name: row.app_name,
          botId: row.bot_id,
          botUserId: row.bot_user_id,
          createdAt: Math.floor(row.app_created_at / 1e6),
        },
        scopes: row.scopes,
        ...(row.kind === 'app' && { tokenHash: hash }),
      },
      conversation: conversationOf(row),
    };
  }

  /** @throws MessagingError token_revoked, account_inactive, team_access_not_granted */
  async ofAccount(claim: AccountClaim, channel: unknown): Promise<Identified> {
    const row = await this.accounts({ ...claim, channel: conversationId(channel) });
    if (!row || row.unknown) throw new MessagingError('invalid_auth');
    if (row.revoked) throw new MessagingError('token_revoked');
    if (row.deactivated || (!claim.teamGiven && !row.workspace_lives)) throw new MessagingError('account_inactive');
    if (row.user_id === null || !row.workspace_lives) throw new MessagingError('team_access_not_granted');
    if (row.user_deleted) throw new MessagingError('account_inactive');
    return {
      identity: {
        kind: 'jwt',
        tenantId: row.tenant_id,
        sandbox: this.sandboxes.ofCall(row.sandbox) as SandboxFlags,
        workspaceId: row.workspace_id,
        userId: row.user_id,
        userName: row.user_name,
        role: row.role,
        isBot: row.is_bot,
        scopes: [],
        sid: claim.sid,
        ...(claim.ui ? { ui: true } : {}),
      },
      conversation: conversationOf(row),
    };
  }
}

const conversationId = (value: unknown): string | null =>
  typeof value === 'string' && CONVERSATION_ID.test(value) ? value : null;

const conversationOf = (row: Partial<Conversation> & { isMember: boolean }): VisibleConversation | null =>
  row.id === null || row.id === undefined ? null : (row as Conversation & { isMember: boolean });

function byNumber<R extends { n: number }>(rows: R[], length: number): (R | undefined)[] {
  const answers = new Array<R | undefined>(length).fill(undefined);
  for (const row of rows) answers[row.n - 1] = row;
  return answers;
}
