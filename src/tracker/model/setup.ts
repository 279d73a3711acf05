import { Injectable } from '@nestjs/common';
import { Accounts } from '../../auth/accounts.js';
import { Clock } from '../../kernel/clock/clock.js';
import type { Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { newAlphanumeric, newUuid, sha256Hex } from '../../kernel/ids/ids.js';
import { pickColor } from './colors.js';
import { orgClaimOf } from './org-claim.js';
import { Organization, Team, User } from './rows.js';
import { insertRow } from './store-row.js';
import { cutToUrlKey, isUrlKey, URL_KEY_LENGTH } from './url-keys.js';

const TAKE_URL_KEY = statement(
  'tracker_take_url_key',
  `INSERT INTO organization_url_keys (url_key, organization_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING url_key`,
);

const UNDO_ORGANIZATION = statement('tracker_undo_organization', 'DELETE FROM organizations WHERE id = $1');

const INSERT_STATUSES = statement(
  'tracker_insert_project_statuses',
  `INSERT INTO project_statuses (id, organization_id, name, type, color, position, created_at, updated_at)
   SELECT s.id, $1, s.name, s.type, s.color, s.position, $6::timestamptz, $6::timestamptz
   FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS u (id, name, type, color, n)
   CROSS JOIN LATERAL (SELECT u.id, u.name, u.type, u.color, u.n - 1 AS position) s`,
);

const TAKEN_DISPLAY_NAMES = statement(
  'tracker_taken_display_names',
  `SELECT lower(display_name) AS name FROM tracker_users
   WHERE organization_id = $1::uuid AND starts_with(lower(display_name), $2)`,
);

const JOIN_PUBLIC_TEAMS = statement(
  'tracker_join_public_teams',
  `INSERT INTO team_memberships (id, organization_id, team_id, user_id, created_at, updated_at)
   SELECT gen_random_uuid(), t.organization_id, t.id, $2::uuid, $3::timestamptz, $3::timestamptz
   FROM teams t WHERE t.organization_id = $1::uuid AND NOT t.private ON CONFLICT DO NOTHING`,
);

/** Its states are 1 ms apart, so that the default order is theirs (tracker.md b.4). */
const INSERT_STATES = statement(
  'tracker_insert_states',
  `INSERT INTO workflow_states (id, organization_id, team_id, name, type, color, position, created_at, updated_at)
   SELECT s.id, $1, $2, s.name, s.type, s.color, s.n - 1, m.at, m.at
   FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) WITH ORDINALITY AS s (id, name, type, color, n)
   CROSS JOIN LATERAL (SELECT $7::timestamptz + (s.n - 1) * interval '1 millisecond' AS at) m`,
);

/** Of a public team every active user, of a private one its creator (tracker.md b.3). */
const INSERT_MEMBERS = statement(
  'tracker_insert_members',
  `INSERT INTO team_memberships (id, organization_id, team_id, user_id, owner, created_at, updated_at)
   SELECT gen_random_uuid(), $1::uuid, $2::uuid, u.id, u.id = $3::uuid, $5::timestamptz, $5::timestamptz
   FROM tracker_users u
   WHERE u.organization_id = $1::uuid AND (u.id = $3::uuid OR (u.active AND NOT $4::boolean))`,
);

const INSERT_KEY = statement(
  'tracker_insert_api_key',
  `INSERT INTO api_keys (id, organization_id, user_id, hash, label, start, is_default, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL WHERE api_keys.user_id = excluded.user_id RETURNING id`,
);

/** tracker.md b.9, by position. */
const PROJECT_STATUSES = [
  ['Backlog', 'backlog', '#bec2c8'],
  ['Planned', 'planned', '#e2e2e2'],
  ['In Progress', 'started', '#f2c94c'],
  ['Paused', 'paused', '#95a2b3'],
  ['Completed', 'completed', '#5e6ad2'],
  ['Canceled', 'canceled', '#95a2b3'],
] as const;

/** tracker.md b.4, by position. The first is where new issues go. */
const WORKFLOW_STATES = [
  ['Backlog', 'backlog', '#bec2c8'],
  ['Todo', 'unstarted', '#e2e2e2'],
  ['In Progress', 'started', '#f2c94c'],
  ['Done', 'completed', '#5e6ad2'],
  ['Canceled', 'canceled', '#95a2b3'],
  ['Duplicate', 'duplicate', '#95a2b3'],
] as const;

type Triples = readonly (readonly [string, string, string])[];
const columns = (rows: Triples): [string[], string[], string[], string[]] => [
  rows.map(() => newUuid()),
  rows.map(([name]) => name),
  rows.map(([, type]) => type),
  rows.map(([, , color]) => color),
];

export const newApiKey = (): string => `svc_api_${newAlphanumeric(40)}`;

/** A new key; `token` is told once and stored as a hash. */
export interface NewApiKey {
  readonly id: string;
  readonly token: string;
  readonly label: string;
  readonly createdAt: Date;
}

/**
 * The quiet verbs that make an organization and fill it: no events, no numbers. First start, provisioning and the
 * verbs that do tell build on them; each runs in its caller's transaction.
 */
@Injectable()
export class TrackerSetup {
  constructor(
    private readonly clock: Clock,
    private readonly accounts: Accounts,
  ) {}

  /**
   * Everything a tenant begins with (messaging.md E.0, E.10): the organization, its owner, the team ENG and one API key.
   * @param input.urlKey as wished for: cut to what a key may be, with digits behind it where it is taken or reserved
   * @param input.apiKey a fixed one; made up when absent
   */
  async createTenantOrganization(
    tx: Tx,
    input: {
      tenantId: number;
      name: string;
      urlKey: string;
      owner: { accountId: string; name: string; email: string };
      apiKey?: { token?: string; isDefault?: boolean };
    },
  ): Promise<{ organization: Organization; owner: User; team: Team; apiKey: NewApiKey }> {
    const { tenantId, name } = input;
    const organization = await this.createUnderFreeKey(tx, { tenantId, name, urlKey: input.urlKey });
    const organizationId = organization.id;
    const owner = await this.addUser(tx, { organizationId, ...input.owner, owner: true });
    const team = await this.createTeam(tx, { organizationId, key: 'ENG', name: 'Engineering' }, owner.id);
    const key = { organizationId, userId: owner.id, label: 'default', ...input.apiKey };
    const apiKey = await this.createApiKey(tx, key);
    if (!team || !apiKey) throw new Error('the API key of a new organization is one that another user has');
    return { organization, owner, team, apiKey };
  }

  private async createUnderFreeKey(
    tx: Tx,
    input: { tenantId: number; name: string; urlKey: string },
  ): Promise<Organization> {
    const wanted = cutToUrlKey(input.urlKey);
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? '' : String(number);
      const urlKey = cutToUrlKey(wanted.slice(0, URL_KEY_LENGTH - suffix.length) + suffix);
      const made = isUrlKey(urlKey) && (await this.createOrganization(tx, { ...input, urlKey }));
      if (made) return made;
    }
  }

  /** With its six project statuses; nobody is in it yet. Null when the url key is taken, also as a previous one. */
  async createOrganization(
    tx: Tx,
    input: { tenantId: number; name: string; urlKey: string },
  ): Promise<Organization | null> {
    const id = newUuid();
    const now = this.clock.now();
    const organization = await insertRow(tx, Organization, { id, ...input, createdAt: now, updatedAt: now });
    if (!organization) return null;
    const taken = await tx.query(TAKE_URL_KEY, [input.urlKey, id]);
    if (taken.length === 0) {
      // another organization's previous key; the caller goes on in this transaction
      await tx.query(UNDO_ORGANIZATION, [id]);
      return null;
    }
    await tx.query(INSERT_STATUSES, [id, ...columns(PROJECT_STATUSES), now]);
    return organization;
  }

  /**
   * Makes an account a user of the organization and a member of its public teams. The account must not be one already.
   * Later sessions of the account claim this organization. Its display name is the local part of the e-mail, with the first free number behind it where that is taken.
   */
  async addUser(
    tx: Tx,
    input: { organizationId: string; accountId: string; name: string; email: string; owner?: boolean; admin?: boolean },
  ): Promise<User> {
    const { organizationId, accountId, name, email, owner = false, admin = owner } = input;
    const now = this.clock.now();
    const wanted = (email.split('@', 1)[0] || 'user').toLowerCase();
    for (let displayName = wanted; ;) {
      const values = { id: newUuid(), organizationId, accountId, name, email, displayName, owner, admin };
      const user = await insertRow(tx, User, { ...values, createdAt: now, updatedAt: now });
      if (user) {
        await this.accounts.remember(tx, accountId, { org: orgClaimOf(organizationId) });
        await tx.query(JOIN_PUBLIC_TEAMS, [organizationId, user.id, now]);
        return user;
      }
      const rows = await tx.query<{ name: string }>(TAKEN_DISPLAY_NAMES, [organizationId, wanted]);
      const taken = new Set([displayName, ...rows.map((row) => row.name)]);
      for (let number = 2; taken.has(displayName); number++) displayName = `${wanted}${number}`;
    }
  }

  /**
   * A team with its six states and its members. Undefined when its id or key is taken; the key is given in upper case.
   * @param input settings besides the defaults of b.3; `color` is drawn when absent
   */
  async createTeam(
    tx: Tx,
    input: Partial<Team> & Pick<Team, 'organizationId' | 'key' | 'name'>,
    creatorId: string,
  ): Promise<Team | undefined> {
    const now = this.clock.now();
    const states = columns(WORKFLOW_STATES);
    const team = await insertRow(tx, Team, {
      id: newUuid(),
      color: pickColor(),
      ...input,
      defaultIssueStateId: (states[0] as string[])[0] as string,
      createdAt: now,
      updatedAt: now,
    });
    if (!team) return undefined;
    await tx.query(INSERT_STATES, [team.organizationId, team.id, ...states, now]);
    await tx.query(INSERT_MEMBERS, [team.organizationId, team.id, creatorId, team.private, now]);
    return team;
  }

  /**
   * A key that acts as this user. A fixed `token` that was revoked is brought back; undefined when it is somebody else's.
   */
  async createApiKey(
    tx: Tx,
    input: { organizationId: string; userId: string; label: string; token?: string; isDefault?: boolean },
  ): Promise<NewApiKey | undefined> {
    const { organizationId, userId, label, token = newApiKey(), isDefault = false } = input;
    const createdAt = this.clock.now();
    const values = [
      newUuid(),
      organizationId,
      userId,
      sha256Hex(token),
      label,
      token.slice(0, 12),
      isDefault,
      createdAt,
    ];
    const [row] = await tx.query<{ id: string }>(INSERT_KEY, values);
    return row && { id: row.id, token, label, createdAt };
  }
}
