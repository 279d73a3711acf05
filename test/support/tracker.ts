import { LinearClient } from '@linear/sdk';
import { expect } from 'vitest';
import { AccessTokens } from '../../src/auth/access-tokens.js';
import { Accounts } from '../../src/auth/accounts.js';
import { Sessions } from '../../src/auth/sessions.js';
import { Db } from '../../src/kernel/database/db.js';
import { LoggedEvent } from '../../src/kernel/events/logged-event.entity.js';
import { newHex } from '../../src/kernel/ids/ids.js';
import { Tenant } from '../../src/kernel/tenancy/tenant.entity.js';
import { orgClaimOf } from '../../src/tracker/access/org-claim.js';
import type { User } from '../../src/tracker/store/user.entity.js';
import type { Team } from '../../src/tracker/store/team.entity.js';
import { TrackerSetup } from '../../src/tracker/provisioning/setup.js';
import type { TestApp } from './app.js';
import { callRest } from './rest-call.js';
import { unique } from './unique.js';

export interface GraphqlAnswer {
  status: number;
  headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- specs read fields of answers freely
  body: { data?: any; errors?: GraphqlErrorEntry[] };
}

export interface GraphqlErrorEntry {
  message: string;
  path?: (string | number)[];
  locations?: { line: number; column: number }[];
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  extensions: Record<string, any>;
}

/**
 * Sends a body unchanged to the endpoint and checks what all answers have in common
 * (docs/reference/tracker.md#transport, #errors, docs/reference/limits.md#graphql-budgets).
 */
export async function postGraphql(
  app: TestApp,
  body: string,
  headers: Record<string, string> = {},
  path = '/graphql',
): Promise<GraphqlAnswer> {
  const response = await fetch(`${app.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return checkedAnswer(response);
}

const BUDGET_HEADERS = ['requests', 'complexity'].flatMap((budget) =>
  ['limit', 'remaining', 'reset'].map((what) => `x-ratelimit-${budget}-${what}`),
);

/** The same checks for an answer to any request. */
export async function checkedAnswer(response: Response): Promise<GraphqlAnswer> {
  const text = await response.text();
  expect(response.headers.get('content-type'), text).toBe('application/json; charset=utf-8');
  for (const header of BUDGET_HEADERS) expect(response.headers.get(header), header).toMatch(/^\d+$/);
  expect(text).not.toMatch(/\n\s+at |\.ts:\d|\.js:\d|node_modules/);
  const body = JSON.parse(text) as GraphqlAnswer['body'];
  expect(Object.keys(body).every((key) => key === 'data' || key === 'errors')).toBe(true);
  if ('errors' in body) {
    expect(body.errors?.length).toBeGreaterThan(0);
    for (const { message, extensions } of body.errors as GraphqlErrorEntry[]) {
      expect(message).toEqual(expect.any(String));
      expect(extensions['type'], message).toMatch(/^[a-z ]+$/);
      expect(extensions['code'], message).toMatch(/^[A-Z_]+$/);
      expect(extensions['http']?.status ?? 200, message).toBe(response.status);
    }
  } else {
    expect(response.status).toBe(200);
    expect(body.data).toEqual(expect.any(Object));
  }
  return { status: response.status, headers: response.headers, body };
}

/** A user of the tracker with an API key. */
export class TrackerCaller {
  constructor(
    readonly app: TestApp,
    readonly organization: OrganizationBuilder,
    readonly user: User,
    readonly apiKey: string,
  ) {}

  /** The official client. */
  client(): LinearClient {
    return new LinearClient({ apiKey: this.apiKey, apiUrl: `${this.app.baseUrl}/graphql` });
  }

  /** Sends a query directly over HTTP. */
  graphql(query: string, variables?: Record<string, unknown>, operationName?: string): Promise<GraphqlAnswer> {
    return postGraphql(this.app, JSON.stringify({ query, variables, operationName }), { authorization: this.apiKey });
  }

  /** The data of a query that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  async data(query: string, variables?: Record<string, unknown>): Promise<any> {
    const { body } = await this.graphql(query, variables);
    expect(body.errors, JSON.stringify(body.errors)).toBeUndefined();
    return body.data;
  }

  /** The first error of a query that must fail. */
  async error(query: string, variables?: Record<string, unknown>): Promise<GraphqlErrorEntry> {
    const { body } = await this.graphql(query, variables);
    expect(body.errors, JSON.stringify(body.data)).toBeDefined();
    return (body.errors as GraphqlErrorEntry[])[0] as GraphqlErrorEntry;
  }

  /** Revokes all API keys of this user, as the control plane does. */
  async endApiKeys(): Promise<void> {
    const token = await this.accessToken();
    const { body } = await callRest(this.app, 'GET', '/api/api-keys', { token });
    for (const { id } of body['apiKeys'] as { id: string }[]) {
      expect((await callRest(this.app, 'DELETE', `/api/api-keys/${id}`, { token })).status).toBe(200);
    }
  }

  /** An access token of a new session of this user, with the organization claim or the given claims. */
  async accessToken(claims: Record<string, unknown> = { org: orgClaimOf(this.organization.id) }): Promise<string> {
    const { accountId } = this.user;
    const { sid } = await this.app.nest.get(Sessions, { strict: false }).begin(accountId, {});
    return this.app.nest.get(AccessTokens, { strict: false }).issue({ accountId, sid, claims });
  }
}

/**
 * An organization created for one test, with an owner and one team. Its owner is the caller. It is created by the
 * services, without events.
 */
export class OrganizationBuilder extends TrackerCaller {
  readonly owner: User;

  private constructor(
    app: TestApp,
    readonly id: string,
    readonly tenantId: number,
    readonly urlKey: string,
    owner: User,
    apiKey: string,
    /** The team with the key `ENG`. */
    readonly team: Team,
  ) {
    super(app, undefined as unknown as OrganizationBuilder, owner, apiKey);
    this.owner = owner;
    // the owner of the organization is itself a caller in it
    (this as { organization: OrganizationBuilder }).organization = this;
  }

  static async create(app: TestApp): Promise<OrganizationBuilder> {
    const setup = app.nest.get(TrackerSetup, { strict: false });
    const urlKey = unique('org').slice(0, 32);
    return app.nest.get(Db).write(async (tx) => {
      const { id: tenantId } = await tx.sql.save(new Tenant());
      const organization = await setup.createOrganization(tx, { tenantId, name: `Org ${urlKey}`, urlKey });
      if (!organization) throw new Error(`the url key ${urlKey} is taken`);
      const owner = await addUser(app, tx, organization.id, { name: 'Ada Lovelace', owner: true });
      const team = await setup.createTeam(
        tx,
        { organizationId: organization.id, key: 'ENG', name: 'Engineering' },
        owner.id,
      );
      if (!team) throw new Error('the team key ENG is taken');
      const key = await setup.createApiKey(tx, { organizationId: organization.id, userId: owner.id, label: 'tests' });
      const token = (key as { token: string }).token;
      return new OrganizationBuilder(app, organization.id, tenantId, urlKey, owner, token, team);
    });
  }

  /** A user of the organization with an API key. */
  async member(options: { name?: string; email?: string; admin?: boolean } = {}): Promise<TrackerCaller> {
    const setup = this.app.nest.get(TrackerSetup, { strict: false });
    const made = await this.app.nest.get(Db).write(async (tx) => {
      const user = await addUser(this.app, tx, this.id, options);
      const key = await setup.createApiKey(tx, { organizationId: this.id, userId: user.id, label: 'tests' });
      return { user, token: (key as { token: string }).token };
    });
    return new TrackerCaller(this.app, this, made.user, made.token);
  }

  /** Another API key of a user, by default the owner. */
  async newApiKey(user: User = this.owner): Promise<TrackerCaller> {
    const setup = this.app.nest.get(TrackerSetup, { strict: false });
    const key = await this.app.nest
      .get(Db)
      .write((tx) => setup.createApiKey(tx, { organizationId: this.id, userId: user.id, label: 'another' }));
    return new TrackerCaller(this.app, this, user, (key as { token: string }).token);
  }

  /** A team with its states; a public team has every user as a member. */
  async newTeam(options: Partial<Team> = {}, creator: User = this.owner): Promise<Team> {
    const setup = this.app.nest.get(TrackerSetup, { strict: false });
    const key = options.key ?? `T${newHex(5).toUpperCase()}`;
    const input = { name: `Team ${key}`, ...options, organizationId: this.id, key };
    return (await this.app.nest.get(Db).write((tx) => setup.createTeam(tx, input, creator.id))) as Team;
  }

  /**
   * The events recorded in this organization, oldest first: kind, room, number, and the envelope of
   * docs/reference/tracker-webhooks.md#envelope.
   */
  async recorded(kind?: string): Promise<RecordedEvent[]> {
    const where = { tenantId: this.tenantId, product: 'tracker', ...(kind === undefined ? {} : { kind }) };
    const rows = await this.app.nest
      .get(Db)
      .load((entities) => entities.find(LoggedEvent, { where, order: { id: 'ASC' } }));
    return rows.map(({ kind: recordedKind, room, syncId, data }) => ({
      kind: recordedKind,
      room,
      syncId: syncId as number,
      data: JSON.parse(data) as RecordedEvent['data'],
    }));
  }
}

export interface RecordedEvent {
  kind: string;
  room: string;
  syncId: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  data: Record<string, any>;
}

async function addUser(
  app: TestApp,
  tx: Parameters<Accounts['create']>[0],
  organizationId: string,
  options: { name?: string; email?: string; owner?: boolean; admin?: boolean },
): Promise<User> {
  const { name = 'Bob Builder', email = `${unique('user')}@tracker.example`, owner, admin } = options;
  const accountId = await app.nest
    .get(Accounts, { strict: false })
    .create(tx, { email, passwordHash: null, realName: name });
  if (accountId === null) throw new Error(`${email} is taken`);
  return app.nest.get(TrackerSetup, { strict: false }).addUser(tx, {
    organizationId,
    accountId,
    name,
    email,
    ...(owner === undefined ? {} : { owner }),
    ...(admin === undefined ? {} : { admin }),
  });
}
