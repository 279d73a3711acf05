import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import type { OwnClient } from '../../kernel/http/own-calls.js';
import { StoreInfo } from '../../kernel/database/store-info.js';
import type { AnswerMeter } from './answer-meter.js';
import type { Organization } from '../store/organization.entity.js';
import type { User } from '../store/user.entity.js';
import { TenantChanges } from '../../kernel/tenancy/tenant-changes.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { BY_API_KEY, BY_ACCOUNT, BY_OAUTH_TOKEN, BY_PERSON, BY_RELEASE_KEY, TOUCH } from './viewers.queries.js';
import { lru } from '../../kernel/lru.js';

/** An application that acts as a person, or as a user of its own (docs/reference/tracker-oauth.md). */
export interface OauthCaller {
  readonly applicationId: string;
  readonly applicationName: string;
  readonly imageUrl: string | null;
  readonly actor: 'user' | 'app';
  readonly scopes: readonly string[];
}

/** The caller: a user of an organization, at the start of the request. */
export interface Viewer {
  readonly userId: string;
  readonly organizationId: string;
  readonly tenantId: number;
  /** The caller's sandbox; null in an organization without a workspace, which is not a sandbox. */
  readonly sandbox: SandboxFlags | null;
  readonly accountId: string;
  readonly name: string;
  readonly displayName: string;
  readonly email: string;
  readonly avatarUrl: string | null;
  readonly admin: boolean;
  readonly owner: boolean;
  readonly urlKey: string;
  readonly organizationName: string;
  readonly gitBranchFormat: string | null;
  /**
   * Private teams of the organization without the caller: the caller sees nothing of them
   * (docs/reference/tracker.md#team).
   */
  readonly hiddenTeamIds: readonly string[];
  /** Deleted teams: lists leave out their entities (docs/reference/tracker.md#team). */
  readonly archivedTeamIds: readonly string[];
  /** Somebody subscribes to a team, a project or the like (docs/reference/tracker-notifications.md#subscriptions). */
  readonly hasSubscriptions?: boolean;
  /** The webhook of an application asks for agent sessions (docs/reference/tracker-agents.md). */
  readonly hasAgents?: boolean;
  /** Set when the caller came with an API key. */
  readonly apiKeyId: string | null;
  /** The key of a release pipeline's tools that the caller came with (docs/reference/tracker.md#release-access-keys). */
  readonly releaseKey?: { readonly id: string; readonly pipelineId: string };
  /** The session belongs to the web UI, whose reads are not recorded (docs/reference/web-ui.md#reading). */
  readonly ui?: boolean;
  /** The application that asks with an OAuth token. */
  readonly oauth?: OauthCaller;
  /** This process makes the call itself. */
  readonly client?: OwnClient;
  /** The person who requested a token to act as this user. */
  readonly actedBy?: string;
  /** The size of this request's answer so far; unset outside GraphQL. */
  readonly answer?: AnswerMeter;
}

/**
 * Why a credential is refused (docs/reference/tracker.md#rest): `invalid_auth` unknown, `token_revoked` a deleted key,
 * `account_inactive` a suspended user or a deleted organization, `organization_required` a session without an
 * organization.
 */
export type Refusal = 'invalid_auth' | 'token_revoked' | 'account_inactive' | 'organization_required';

export type Authentication = { viewer: Viewer } | { refused: Refusal };

/** The claims of a verified access token; null: no organization. */
export interface SessionClaim {
  accountId: string;
  sid: string;
  organizationId: string | null;
}

interface CallerRow extends Omit<Viewer, 'sandbox'> {
  sandbox: string | null;
  n: number;
  revoked: boolean;
  deactivated?: boolean;
  unclaimed?: boolean;
  active: boolean;
  lastSeen: Date | null;
  lastUsedAt: Date | null;
  /** Of OAuth tokens: microseconds. */
  expiresAt?: number;
}

const MINUTE_MS = 60_000;

/** API keys whose holders are remembered. */
const REMEMBERED = 10_000;

/** What an API key was last found to stand for. */
interface Remembered {
  readonly viewer: Viewer;
  /** The sandbox's flags as they are stored. */
  readonly flags: string | null;
  /** When its look-up began (`TenantChanges`). */
  readonly since: number;
  /** When it was last seen, as stored, in milliseconds. */
  seenMs: number;
}

/**
 * Turns credentials into viewers. Concurrent look-ups are one statement. The one process of an embedded database
 * remembers who holds an API key until something is written for the tenant (docs/decisions/remembered-callers.md).
 */
@Injectable()
export class Viewers {
  private readonly remembered = lru<string, Remembered>(REMEMBERED);

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly sandboxes: SandboxReader,
    private readonly changes: TenantChanges,
    private readonly store: StoreInfo,
  ) {}

  /** By the SHA-256 (hex) of a raw API key. */
  async byApiKey(hash: string): Promise<Authentication> {
    const known = this.store.embedded ? this.remembered.get(hash) : undefined;
    if (known && this.changes.ofCallers.isUnchanged(known.viewer.tenantId, known.since)) {
      this.sandboxes.ofCall(known.flags);
      this.noteSeen(known);
      return { viewer: known.viewer };
    }
    return this.lookUp(hash);
  }

  private readonly lookUp: (hash: string) => Promise<Authentication> = coalesce(
    async (hashes: string[]) => {
      const since = this.changes.ofCallers.now;
      const rows = await this.db.read<CallerRow>(BY_API_KEY, [hashes]);
      return this.answers(hashes.length, rows, (n, found) =>
        this.remembered.set(hashes[n - 1] as string, { ...found, since }),
      );
    },
    { name: 'viewers.by_key' },
  );

  /** By what a verified access token says: account, session, and the organization claim as a UUID. */
  readonly bySession = coalesce(
    async (claims: SessionClaim[]) =>
      this.answers(
        claims.length,
        await this.db.read<CallerRow>(BY_ACCOUNT, [
          claims.map((claim) => claim.accountId),
          claims.map((claim) => claim.sid),
          claims.map((claim) => claim.organizationId),
        ]),
      ),
    { name: 'viewers.by_session' },
  );

  /**
   * By the SHA-256 (hex) of an OAuth access token. Not remembered: its application may end in another tenant.
   * It lives by the sandbox's clock.
   */
  readonly byOauthToken = coalesce(
    async (hashes: string[]) => this.answers(hashes.length, await this.db.read<CallerRow>(BY_OAUTH_TOKEN, [hashes])),
    { name: 'viewers.by_oauth_token' },
  );

  /** By the SHA-256 (hex) of the key of a release pipeline. */
  readonly byReleaseKey = coalesce(
    async (hashes: string[]) => this.answers(hashes.length, await this.db.read<CallerRow>(BY_RELEASE_KEY, [hashes])),
    { name: 'viewers.by_release_key' },
  );

  /** An active person of a tenant, for whom somebody else acts; undefined: there is none. */
  async ofPerson(tenantId: number, accountId: string): Promise<Viewer | undefined> {
    const [answer] = this.answers(1, await this.db.read<CallerRow>(BY_PERSON, [tenantId, accountId]));
    return answer && 'viewer' in answer ? answer.viewer : undefined;
  }

  /** Writes `lastSeen` and `lastUsedAt` outside the request; if that fails they are merely less accurate. */
  private readonly touch = coalesce(
    async (calls: Viewer[]) => {
      await this.db.run(TOUCH, [
        this.clock.now(),
        [...new Set(calls.map((call) => call.userId))],
        [...new Set(calls.flatMap((call) => call.apiKeyId ?? []))],
        [...new Set(calls.flatMap((call) => call.releaseKey?.id ?? []))],
      ]);
      return calls.map(() => undefined);
    },
    { name: 'viewers.touch', inFlight: 1 },
  );

  private answers(
    count: number,
    rows: CallerRow[],
    found?: (n: number, found: Omit<Remembered, 'since'>) => void,
  ): Authentication[] {
    const answers = Array.from({ length: count }, (): Authentication => ({ refused: 'invalid_auth' }));
    for (const row of rows) {
      const { n, revoked, deactivated, unclaimed, active, lastSeen, lastUsedAt, expiresAt, sandbox, ...caller } = row;
      if (revoked) answers[n - 1] = { refused: 'token_revoked' };
      else if (deactivated) answers[n - 1] = { refused: 'account_inactive' };
      else if (unclaimed) answers[n - 1] = { refused: 'organization_required' };
      else if (!active) answers[n - 1] = { refused: 'account_inactive' };
      else {
        const viewer = { ...caller, sandbox: this.sandboxes.ofCall(sandbox) };
        if (expiresAt !== undefined && this.isPast(viewer, expiresAt)) continue;
        answers[n - 1] = { viewer };
        const hasKey = viewer.apiKeyId !== null || viewer.releaseKey !== undefined;
        const seenMs = Math.min(timeOf(lastSeen), hasKey ? timeOf(lastUsedAt) : Infinity);
        const seen = { viewer, flags: sandbox, seenMs };
        this.noteSeen(seen);
        found?.(n, seen);
      }
    }
    return answers;
  }

  private isPast({ sandbox }: Pick<Viewer, 'sandbox'>, atMicros: number): boolean {
    return this.clock.within(sandbox?.time, () => atMicros <= this.clock.nowMicros());
  }

  private noteSeen(seen: Pick<Remembered, 'viewer' | 'seenMs'>): void {
    const now = this.clock.nowMs();
    if (now - seen.seenMs < MINUTE_MS) return;
    seen.seenMs = now;
    this.touch(seen.viewer).catch(() => undefined);
  }
}

const timeOf = (moment: Date | null): number => moment?.getTime() ?? -Infinity;

/** The user who has just joined, as the actor of that event. */
export const joinerOf = (organization: Organization, user: User): Viewer => ({
  ...user,
  userId: user.id,
  tenantId: organization.tenantId,
  sandbox: null,
  urlKey: organization.urlKey,
  organizationName: organization.name,
  gitBranchFormat: organization.gitBranchFormat,
  hiddenTeamIds: [],
  archivedTeamIds: [],
  apiKeyId: null,
});
