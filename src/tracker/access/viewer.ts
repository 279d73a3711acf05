import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { coalesce } from '../../kernel/database/coalesce.js';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import type { AnswerMeter } from './answer-meter.js';
import type { Organization } from '../organization/organization.entity.js';
import type { User } from '../organization/users/user.entity.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';

/** Whoever calls: a user of an organization, as of the start of the request. */
export interface Viewer {
  readonly userId: string;
  readonly organizationId: string;
  readonly tenantId: number;
  /** What holds in the caller's sandbox; null in an organization without a workspace, which is none. */
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
   * Private teams of the organization without the caller: nothing of them exists for the caller
   * (docs/reference/tracker.md#team).
   */
  readonly hiddenTeamIds: readonly string[];
  /** Deleted teams: lists leave out what is theirs (docs/reference/tracker.md#team). */
  readonly archivedTeamIds: readonly string[];
  /** Set when the caller came with an API key. */
  readonly apiKeyId: string | null;
  /** The session is one of the web UI, whose reading leaves no trace (docs/reference/web-ui.md#reading). */
  readonly ui?: boolean;
  /** Who asked for a token to act as this person. */
  readonly actedBy?: string;
  /** What the answer to this request holds so far; unset where no answer is made of what is read. */
  readonly answer?: AnswerMeter;
}

/**
 * Why a credential is refused, in the words of docs/reference/tracker.md#rest: `invalid_auth` unknown, `token_revoked`
 * a deleted key, `account_inactive` a suspended user or a deleted organization, `organization_required` a session that
 * claims none.
 */
export type Refusal = 'invalid_auth' | 'token_revoked' | 'account_inactive' | 'organization_required';

export type Authentication = { viewer: Viewer } | { refused: Refusal };

/** What a verified access token says; null: it claims no organization. */
export interface SessionClaim {
  accountId: string;
  sid: string;
  organizationId: string | null;
}

const CALLER = `
  u.id AS "userId", u.organization_id AS "organizationId", o.tenant_id AS "tenantId", sb.flags AS sandbox, u.account_id AS "accountId",
  u.name, u.display_name AS "displayName", u.email, u.avatar_url AS "avatarUrl", u.active, u.admin, u.owner,
  u.last_seen AS "lastSeen", o.url_key AS "urlKey", o.name AS "organizationName",
  o.git_branch_format AS "gitBranchFormat",
  ARRAY(SELECT t.id FROM teams t WHERE t.organization_id = u.organization_id AND t.private
    AND NOT EXISTS (SELECT 1 FROM team_memberships m WHERE m.team_id = t.id AND m.user_id = u.id)) AS "hiddenTeamIds",
  ARRAY(SELECT t.id FROM teams t WHERE t.organization_id = u.organization_id AND t.archived_at IS NOT NULL
    ) AS "archivedTeamIds"`;

const BY_API_KEY = statement(
  'tracker_viewer_by_api_key',
  `SELECT k.n::int AS n, a.id AS "apiKeyId", a.revoked_at IS NOT NULL AS revoked, a.last_used_at AS "lastUsedAt", ${CALLER}
   FROM unnest($1::text[]) WITH ORDINALITY AS k (hash, n)
   JOIN api_keys a ON a.hash = k.hash
   LEFT JOIN tracker_users u ON u.id = a.user_id
   LEFT JOIN organizations o ON o.id = u.organization_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = o.tenant_id`,
);

const BY_ACCOUNT = statement(
  'tracker_viewer_by_account',
  `SELECT k.n::int AS n, NULL::uuid AS "apiKeyId", s.ended_at IS NOT NULL AS revoked, NULL::timestamptz AS "lastUsedAt",
     a.deactivated_at IS NOT NULL AS deactivated, k.organization_id IS NULL AS unclaimed, ${CALLER}
   FROM unnest($1::text[], $2::text[], $3::uuid[]) WITH ORDINALITY AS k (account_id, sid, organization_id, n)
   JOIN sessions s ON s.sid = k.sid AND s.account_id = k.account_id
   JOIN accounts a ON a.id = k.account_id
   LEFT JOIN tracker_users u ON u.account_id = k.account_id AND u.organization_id = k.organization_id
   LEFT JOIN organizations o ON o.id = u.organization_id
   LEFT JOIN sandboxes sb ON sb.tenant_id = o.tenant_id`,
);

const TOUCH = statement(
  'tracker_touch',
  `WITH users AS (
     UPDATE tracker_users SET last_seen = $1 WHERE id = ANY($2::uuid[])
       AND (last_seen IS NULL OR last_seen <= $1::timestamptz - interval '1 minute'))
   UPDATE api_keys SET last_used_at = $1 WHERE id = ANY($3::uuid[])
     AND (last_used_at IS NULL OR last_used_at <= $1::timestamptz - interval '1 minute')`,
);

interface CallerRow extends Omit<Viewer, 'sandbox'> {
  sandbox: string | null;
  n: number;
  revoked: boolean;
  deactivated?: boolean;
  unclaimed?: boolean;
  active: boolean;
  lastSeen: Date | null;
  lastUsedAt: Date | null;
}

const MINUTE_MS = 60_000;

/** Turns credentials into viewers. Concurrent look-ups are one statement; nothing is cached. */
@Injectable()
export class Viewers {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly sandboxes: SandboxReader,
  ) {}

  /** By the SHA-256 (hex) of a raw API key. */
  readonly byApiKey: (hash: string) => Promise<Authentication> = coalesce(
    async (hashes: string[]) => this.answers(hashes.length, await this.db.read<CallerRow>(BY_API_KEY, [hashes])),
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

  /** Writes `lastSeen` and `lastUsedAt` beside the request; a failure costs nothing but their accuracy. */
  private readonly touch = coalesce(
    async (calls: Viewer[]) => {
      await this.db.run(TOUCH, [
        this.clock.now(),
        [...new Set(calls.map((call) => call.userId))],
        [...new Set(calls.flatMap((call) => call.apiKeyId ?? []))],
      ]);
      return calls.map(() => undefined);
    },
    { name: 'viewers.touch', inFlight: 1 },
  );

  private answers(count: number, rows: CallerRow[]): Authentication[] {
    const answers = Array.from({ length: count }, (): Authentication => ({ refused: 'invalid_auth' }));
    for (const { n, revoked, deactivated, unclaimed, active, lastSeen, lastUsedAt, sandbox, ...caller } of rows) {
      if (revoked) answers[n - 1] = { refused: 'token_revoked' };
      else if (deactivated) answers[n - 1] = { refused: 'account_inactive' };
      else if (unclaimed) answers[n - 1] = { refused: 'organization_required' };
      else if (!active) answers[n - 1] = { refused: 'account_inactive' };
      else {
        const viewer = { ...caller, sandbox: this.sandboxes.ofCall(sandbox) };
        answers[n - 1] = { viewer };
        if (this.isStale(lastSeen) || (viewer.apiKeyId !== null && this.isStale(lastUsedAt))) {
          this.touch(viewer).catch(() => undefined);
        }
      }
    }
    return answers;
  }

  private isStale(moment: Date | null): boolean {
    return moment === null || this.clock.nowMs() - moment.getTime() >= MINUTE_MS;
  }
}

/** Who has just joined, as the actor of that event. */
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
