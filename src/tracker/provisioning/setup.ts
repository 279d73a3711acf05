import { Injectable } from '@nestjs/common';
import { Accounts } from '../../auth/accounts.js';
import { Clock } from '../../kernel/clock/clock.js';
import { drawnForStatement, ownIds } from '../../kernel/clock/request-sandbox.js';
import type { Tx } from '../../kernel/database/db.js';
import { newAlphanumeric, newHex, newUuid, sha256Hex } from '../../kernel/ids/ids.js';
import { pickColor } from '../values/colors.js';
import { orgClaimOf } from '../access/org-claim.js';
import { OauthApplication } from '../store/oauth-application.entity.js';
import { Organization } from '../store/organization.entity.js';
import { OrganizationUrlKey } from '../store/url-key.entity.js';
import { User } from '../store/user.entity.js';
import { Team } from '../store/team.entity.js';
import { insertMany } from '../../kernel/database/insert-many.queries.js';
import { insertUnlessTaken } from '../../kernel/database/insert-unless-taken.js';
import {
  DISPLAY_NAMES,
  FOUND_ORGANIZATION,
  INSERT_KEY,
  INSERT_KEYS,
  INSERT_MEMBERS,
  INSERT_STATES,
  INSERT_CUSTOMER_STATUSES,
  INSERT_STATUSES,
  INSERT_TEAMS,
  JOIN_PUBLIC_TEAMS,
  JOIN_PUBLIC_TEAMS_ALL,
  TAKEN_DISPLAY_NAMES,
} from './setup.queries.js';
import { PROJECT_STATUSES } from '../values/project-statuses.js';
import { cutToUrlKey, isUrlKey, URL_KEY_LENGTH } from './url-keys.js';

/** docs/reference/tracker.md#workflowstate, by position. The first is where new issues go. */
export const WORKFLOW_STATES = [
  ['Backlog', 'backlog', '#bec2c8'],
  ['Todo', 'unstarted', '#e2e2e2'],
  ['In Progress', 'started', '#f2c94c'],
  ['Done', 'completed', '#5e6ad2'],
  ['Canceled', 'canceled', '#95a2b3'],
  ['Duplicate', 'duplicate', '#95a2b3'],
] as const;

type NameTypeColor = readonly (readonly [string, string, string])[];
const columns = (rows: NameTypeColor): [string[], string[], string[], string[]] => [
  rows.map(() => newUuid()),
  rows.map(([name]) => name),
  rows.map(([, type]) => type),
  rows.map(([, , color]) => color),
];

/** The local part of the address, as long as no other user has that name. */
const displayNameOf = (email: string): string => (email.split('@', 1)[0] || 'user').toLowerCase();

/** The name of the application that an organization begins with. */
export const DEFAULT_APPLICATION = 'default-app';

export const newApiKey = (): string => `svc_api_${newAlphanumeric(40)}`;

export interface KeyToMake {
  readonly userId: string;
  readonly label: string;
  readonly token: string;
}

/** Keys as they are stored. */
export const keyRows = (keys: readonly KeyToMake[]) =>
  keys.map(({ userId, label, token }) => ({
    user_id: userId,
    label,
    hash: sha256Hex(token),
    start: token.slice(0, 12),
  }));

/** A new key; `token` is shown once and stored as a hash. */
export interface NewApiKey {
  readonly id: string;
  readonly token: string;
  readonly label: string;
  readonly createdAt: Date;
}

/** The initial data of a tenant's organization. */
export interface TenantOrganization {
  readonly id: string;
  readonly urlKey: string;
  /** The owner's user id. */
  readonly ownerId: string;
  readonly team: { readonly id: string; readonly key: string } | null;
  /** Shown once, stored as a hash. */
  readonly apiKey: string;
  /** The application that it begins with. */
  readonly application: NewApplication;
}

/** An application with its secret, which is shown once and stored as a hash. */
export interface NewApplication {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Operations that make and fill an organization without events and sync ids. First start, provisioning and the
 * operations with events build on them; each runs in its caller's transaction.
 */
@Injectable()
export class TrackerSetup {
  constructor(
    private readonly clock: Clock,
    private readonly accounts: Accounts,
  ) {}

  /**
   * Everything a tenant begins with (docs/reference/control-plane.md#first-start, #provisioning): the organization,
   * its owner, the team ENG and one API key.
   * @param input.id made beforehand, where the owner's account claims the organization already
   * @param input.urlKey as asked for: cut to what a key may be, with digits behind it where it is taken or reserved
   * @param input.apiKey a fixed one; made up when absent
   * @param input.hasTeam false: others come in place of ENG
   */
  async createTenantOrganization(
    tx: Tx,
    input: {
      id?: string;
      tenantId: number;
      name: string;
      urlKey: string;
      owner: { accountId: string; name: string; email: string };
      apiKey?: { token?: string; isDefault?: boolean };
      hasTeam?: boolean;
    },
  ): Promise<TenantOrganization> {
    const { id = newUuid(), tenantId, name, owner, hasTeam = true } = input;
    const { token = newApiKey(), isDefault = false } = input.apiKey ?? {};
    const ownerId = newUuid();
    const team = hasTeam ? { id: newUuid(), key: 'ENG', name: 'Engineering' } : null;
    const begin = [id, tenantId, name];
    const rest: unknown[] = [this.clock.now(), ...columns(PROJECT_STATUSES)];
    rest.push(ownerId, owner.accountId, owner.name, team?.id ?? null, displayNameOf(owner.email), owner.email);
    rest.push(team?.key ?? null, team?.name ?? null, pickColor(), ...columns(WORKFLOW_STATES));
    rest.push(sha256Hex(token), token.slice(0, 12), isDefault, ownIds() ? true : null, drawnForStatement());
    const wanted = cutToUrlKey(input.urlKey);
    for (let number = 1; ; number++) {
      const suffix = number === 1 ? '' : String(number);
      const urlKey = cutToUrlKey(wanted.slice(0, URL_KEY_LENGTH - suffix.length) + suffix);
      if (!isUrlKey(urlKey)) continue;
      const [made] = await tx.query<{ keyed: boolean }>(FOUND_ORGANIZATION, [...begin, urlKey, ...rest]);
      if (!made) continue;
      if (!made.keyed) throw new Error('the API key of a new organization is one that another user has');
      if (input.id === undefined) await this.accounts.remember(tx, owner.accountId, { org: orgClaimOf(id) });
      const application = await this.addDefaultApplication(tx, id, ownerId);
      return { id, urlKey, ownerId, team, apiKey: token, application };
    }
  }

  /** The application that works unprepared (docs/reference/tracker-oauth.md#applications). */
  private async addDefaultApplication(tx: Tx, organizationId: string, creatorId: string): Promise<NewApplication> {
    const made = { id: newUuid(), clientId: newHex(32), clientSecret: newHex(64) };
    const now = this.clock.now();
    await tx.sql.insert(OauthApplication, {
      id: made.id,
      organizationId,
      clientId: made.clientId,
      clientSecretHash: sha256Hex(made.clientSecret),
      name: DEFAULT_APPLICATION,
      hasClientCredentials: true,
      isDefault: true,
      creatorId,
      createdAt: now,
      updatedAt: now,
    });
    return made;
  }

  /** With its six project statuses and no users. Null when the url key is taken, also as a previous one. */
  async createOrganization(
    tx: Tx,
    input: { tenantId: number; name: string; urlKey: string },
  ): Promise<Organization | null> {
    const id = newUuid();
    const now = this.clock.now();
    const organization = await insertUnlessTaken(tx, Organization, { id, ...input, createdAt: now, updatedAt: now });
    if (!organization) return null;
    if (!(await insertUnlessTaken(tx, OrganizationUrlKey, { urlKey: input.urlKey, organizationId: id }))) {
      // another organization's previous key; the caller goes on in this transaction
      await tx.sql.delete(Organization, { id });
      return null;
    }
    await tx.query(INSERT_STATUSES, [id, ...columns(PROJECT_STATUSES), now]);
    await tx.query(INSERT_CUSTOMER_STATUSES, [id, now, drawnForStatement()]);
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
    const values = { organizationId, accountId, name, email, owner, admin };
    const user = await this.insertUser(tx, values, displayNameOf(email));
    await this.accounts.remember(tx, accountId, { org: orgClaimOf(organizationId) });
    return user;
  }

  /**
   * Makes an application's own user, a member of the public teams (docs/reference/tracker-oauth.md#actors). It has none
   * there yet.
   */
  addAppUser(
    tx: Tx,
    input: Pick<User, 'organizationId' | 'name' | 'avatarUrl' | 'canBeAssigned' | 'canBeMentioned'> & {
      applicationId: string;
    },
  ): Promise<User> {
    const { applicationId, name } = input;
    const slug = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '');
    // no account has the form of this id
    const values = { ...input, accountId: applicationId, email: `${applicationId}@oauthapp.invalid` };
    return this.insertUser(tx, values, slug || 'app');
  }

  /** A user with the wanted display name, or that with the first free number behind it. */
  private async insertUser(
    tx: Tx,
    values: Partial<User> & Pick<User, 'organizationId'>,
    wanted: string,
  ): Promise<User> {
    const { organizationId } = values;
    const now = this.clock.now();
    for (let displayName = wanted; ;) {
      const times = { createdAt: now, updatedAt: now };
      const user = await insertUnlessTaken(tx, User, { ...values, id: newUuid(), displayName, ...times });
      if (user) {
        await tx.query(JOIN_PUBLIC_TEAMS, [organizationId, user.id, now, drawnForStatement()]);
        return user;
      }
      const rows = await tx.query<{ name: string }>(TAKEN_DISPLAY_NAMES, [organizationId, wanted]);
      const taken = new Set([displayName, ...rows.map((row) => row.name)]);
      for (let number = 2; taken.has(displayName); number++) displayName = `${wanted}${number}`;
    }
  }

  /** The same for many at once; answers their tracker ids in order. Their accounts hold the claim already. */
  async addUsers(
    tx: Tx,
    organizationId: string,
    people: readonly {
      readonly accountId: string;
      readonly name: string;
      readonly email: string;
      readonly admin: boolean;
    }[],
  ): Promise<string[]> {
    if (people.length === 0) return [];
    const now = this.clock.nowMs();
    const rows = await tx.query<{ name: string }>(DISPLAY_NAMES, [organizationId]);
    const taken = new Set(rows.map(({ name }) => name));
    const users = people.map(({ accountId, name, email, admin }, i) => {
      const wanted = displayNameOf(email);
      let displayName = wanted;
      for (let number = 2; taken.has(displayName); number++) displayName = `${wanted}${number}`;
      taken.add(displayName);
      const at = new Date(now - people.length + i + 1);
      const values = { id: newUuid(), organizationId, accountId, name, email, displayName, owner: false, admin };
      return { ...values, createdAt: at, updatedAt: at };
    });
    if ((await insertMany(tx, User, users)) !== users.length) throw new Error('a display name that was free is not');
    const ids = users.map(({ id }) => id);
    await tx.query(JOIN_PUBLIC_TEAMS_ALL, [organizationId, ids, new Date(now), drawnForStatement()]);
    return ids;
  }

  /** Stores fixed keys, leaving out those that are taken. */
  async createApiKeys(tx: Tx, organizationId: string, keys: readonly KeyToMake[]): Promise<void> {
    if (keys.length === 0) return;
    const values = [organizationId, JSON.stringify(keyRows(keys)), this.clock.now(), drawnForStatement()];
    await tx.query(INSERT_KEYS, values);
  }

  /**
   * A team with its six states and its members. Undefined when its id or key is taken; the key is given in upper case.
   * @param input settings besides the defaults of docs/reference/tracker.md#team; `color` is drawn when absent
   */
  async createTeam(
    tx: Tx,
    input: Partial<Team> & Pick<Team, 'organizationId' | 'key' | 'name'>,
    creatorId: string,
  ): Promise<Team | undefined> {
    const now = this.clock.now();
    const states = columns(WORKFLOW_STATES);
    const team = await insertUnlessTaken(tx, Team, {
      id: newUuid(),
      color: pickColor(),
      ...input,
      defaultIssueStateId: (states[0] as string[])[0] as string,
      createdAt: now,
      updatedAt: now,
    });
    if (!team) return undefined;
    await tx.query(INSERT_STATES, [team.organizationId, team.id, ...states, now]);
    await tx.query(INSERT_MEMBERS, [team.organizationId, team.id, creatorId, team.private, now, drawnForStatement()]);
    return team;
  }

  /** The same for many at once. Answers their states by team; none for a team whose id or key is taken. */
  async addTeams(
    tx: Tx,
    organizationId: string,
    teams: readonly Pick<Team, 'id' | 'key' | 'name' | 'description' | 'private'>[],
    creatorId: string,
  ): Promise<Map<string, { id: string; name: string; type: string }[]>> {
    if (teams.length === 0) return new Map();
    const [, names, types, colors] = columns(WORKFLOW_STATES);
    const rows = teams.map(({ id, key, name, description, private: isPrivate }, n) => ({
      id,
      key,
      name,
      description,
      private: isPrivate,
      color: pickColor(),
      states: WORKFLOW_STATES.map(() => newUuid()),
      n,
    }));
    // none of them later than now
    const first = new Date(this.clock.nowMs() - teams.length + 1);
    const values = [organizationId, JSON.stringify(rows), creatorId, first, names, types, colors];
    const stored = new Set(
      (await tx.query<{ id: string }>(INSERT_TEAMS, [...values, drawnForStatement()])).map(({ id }) => id),
    );
    const statesOf = (ids: readonly string[]) =>
      WORKFLOW_STATES.map(([name, type], i) => ({ id: ids[i] as string, name, type }));
    return new Map(rows.filter(({ id }) => stored.has(id)).map(({ id, states }) => [id, statesOf(states)]));
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
