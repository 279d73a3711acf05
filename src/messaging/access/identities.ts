import { Injectable } from '@nestjs/common';
import { byNumber, coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { Limits, type Policy, type TakeResult, type TakeProven } from '../../kernel/limits/limits.js';
import { TenantChanges } from '../../kernel/tenancy/tenant-changes.js';
import { StoreInfo } from '../../kernel/database/store-info.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { MessagingError } from '../wire/codes.js';
import {
  ACCOUNT_HOLDERS,
  sqlHolderProof,
  TOKEN_HOLDERS,
  type AccountRow,
  type HolderRow,
} from './identities.queries.js';
import type { TokenKind } from '../store/token.entity.js';
import type { CredentialKind, Identity, VisibleConversation } from './identity.js';
import { TokenUses } from './token-uses.js';
import { lru } from '../../kernel/lru.js';

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

interface TokenKey {
  readonly hash: string;
  readonly channel: string | null;
}

const CONVERSATION_ID = /^[CDG][0-9A-Z]{9,}$/;

/** Credentials whose holders are remembered, each with a conversation. */
const REMEMBERED = 10_000;

/** What the last call found out about a token's holder. */
export interface Remembered extends Identified {
  readonly hash: string;
  readonly channel: string | null;
  readonly digest: string;
  /** The sandbox's flags as they are stored. */
  readonly flags: string | null;
  /** When its look-up began (`TenantChanges`). */
  readonly since: number;
}

/**
 * Finds the identity behind a credential (docs/decisions/remembered-callers.md). The one process of an embedded database
 * remembers it until something is written for the tenant. Where several processes share a store, what is remembered
 * counts only once the store has confirmed it, so what one of them revoked is refused by all in the next call.
 */
@Injectable()
export class Identities {
  private readonly holders: (key: TokenKey) => Promise<HolderRow | undefined>;
  private readonly remembered = lru<string, Remembered>(REMEMBERED);
  private readonly prove: TakeProven<Remembered> | undefined;
  private readonly accounts: (key: AccountClaim & { channel: string | null }) => Promise<AccountRow | undefined>;

  constructor(
    private readonly db: Db,
    private readonly sandboxes: SandboxReader,
    private readonly uses: TokenUses,
    private readonly changes: TenantChanges,
    private readonly store: StoreInfo,
    limits: Limits,
  ) {
    this.holders = coalesce((keys) => this.holdersOf(keys), { name: 'identities.by_token' });
    this.prove = limits.proving<Remembered>({
      name: 'of_holder',
      sql: sqlHolderProof,
      values: (all) => [
        all.map(({ hash }) => hash),
        all.map(({ channel }) => channel),
        all.map(({ digest }) => digest),
      ],
    });
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

  /** What is known of a token's holder, where it can be proven together with a take. */
  recall(hash: string, named: unknown): Remembered | undefined {
    return this.prove && this.remembered.get(memoryKey(hash, conversationId(named)));
  }

  /**
   * Takes an allowance in the name of who is remembered, if they still are who they were; else they are forgotten, and
   * nothing is taken. @returns undefined where they are not
   */
  async takeAs(remembered: Remembered, key: string, policy: Policy): Promise<TakeResult | undefined> {
    const proven = await (this.prove as TakeProven<Remembered>)(key, policy, remembered);
    if (!proven.holds) {
      const at = memoryKey(remembered.hash, remembered.channel);
      if (this.remembered.peek(at) === remembered) this.remembered.delete(at);
      return undefined;
    }
    this.noteUse(remembered);
    return proven.taken;
  }

  private noteUse({ hash, flags }: Remembered): void {
    this.uses.note(hash);
    this.sandboxes.ofCall(flags);
  }

  /** Who is remembered by the one process of an embedded database, which sees every write. */
  private current(hash: string, channel: string | null): Identified | undefined {
    const remembered = this.store.embedded ? this.remembered.get(memoryKey(hash, channel)) : undefined;
    if (!remembered || !this.changes.ofCallers.isUnchanged(remembered.identity.tenantId, remembered.since))
      return undefined;
    this.noteUse(remembered);
    return remembered;
  }

  /** @throws MessagingError invalid_auth, token_revoked, account_inactive */
  async ofToken(hash: string, named: unknown): Promise<Identified> {
    const channel = conversationId(named);
    const known = this.current(hash, channel);
    if (known) return known;
    const since = this.changes.ofCallers.now;
    const row = await this.holders({ hash, channel });
    // the app-level token of a deleted app is unknown, unless its whole workspace was deleted
    if (!row || (row.kind === 'app' && row.app_id === null && row.tenant_id !== null)) {
      throw new MessagingError('invalid_auth');
    }
    if (row.inactive) throw new MessagingError('account_inactive');
    if (row.revoked) throw new MessagingError('token_revoked');
    this.uses.note(hash);
    const identified: Identified = {
      identity: {
        kind: KINDS[row.kind],
        tenantId: row.tenant_id,
        sandbox: this.sandboxes.ofCall(row.sandbox) as SandboxFlags,
        workspaceId: row.workspace_id,
        workspaceName: row.workspace_name,
        workspaceDomain: row.workspace_domain,
        userId: row.user_id,
        userName: row.user_name ?? row.app_name,
        role: row.role ?? 'member',
        isBot: row.is_bot ?? true,
        ...(row.app_id !== null && {
          app: {
            id: row.app_id,
            name: row.app_name,
            botId: row.bot_id,
            botUserId: row.bot_user_id,
            createdAt: Math.floor(row.app_created_at / 1e6),
          },
        }),
        scopes: row.scopes,
        tokenHash: hash,
        ...(row.is_consented && { isConsented: true }),
        ...(row.expires_at !== null && { expiresAt: row.expires_at }),
      },
      conversation: conversationOf(row),
    };
    // a post opens a closed direct message again, without being a change that the tenant is noted with
    if ((row.kind === 'bot' || row.kind === 'user') && !row.isClosed) {
      const { digest, sandbox: flags } = row;
      this.remembered.set(memoryKey(hash, channel), { ...identified, hash, channel, digest, flags, since });
    }
    return identified;
  }

  /** Calls of one caller about one conversation share a row. */
  private async holdersOf(keys: readonly TokenKey[]): Promise<(HolderRow | undefined)[]> {
    const places = new Map<string, number>();
    const distinct: TokenKey[] = [];
    const placeOf = keys.map((key) => {
      const id = memoryKey(key.hash, key.channel);
      const known = places.get(id);
      if (known !== undefined) return known;
      places.set(id, distinct.length);
      return distinct.push(key) - 1;
    });
    const values = [distinct.map(({ hash }) => hash), distinct.map(({ channel }) => channel)];
    const rows = byNumber(await this.db.read<HolderRow>(TOKEN_HOLDERS, values), distinct.length);
    return placeOf.map((place) => rows[place]);
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
        workspaceName: row.workspace_name,
        workspaceDomain: row.workspace_domain,
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

/** How each kind of token calls. */
const KINDS: Readonly<Record<TokenKind, CredentialKind>> = {
  bot: 'bot',
  user: 'user',
  openid: 'openid',
  openid_refresh: 'refresh',
  app: 'app',
  refresh: 'refresh',
  config: 'config',
  config_refresh: 'refresh',
  workflow: 'bot',
};

const memoryKey = (hash: string, channel: string | null): string => (channel === null ? hash : hash + channel);

const conversationId = (value: unknown): string | null =>
  typeof value === 'string' && CONVERSATION_ID.test(value) ? value : null;

const conversationOf = (row: Partial<VisibleConversation>): VisibleConversation | null =>
  row.id === null || row.id === undefined ? null : (row as VisibleConversation);
