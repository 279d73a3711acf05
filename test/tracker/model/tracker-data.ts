import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { DataSource, type DeepPartial } from 'typeorm';
import { afterAll, beforeAll } from 'vitest';
import { Account } from '../../../src/auth/account.entity.js';
import { Session } from '../../../src/auth/session.entity.js';
import { ENTITIES } from '../../../src/entities.js';
import { Clock } from '../../../src/kernel/clock/clock.js';
import { Db } from '../../../src/kernel/database/db.js';
import { startEmbedded, type Started } from '../../../src/kernel/database/embedded/start-embedded.js';
import { migrate, migrationClasses } from '../../../src/kernel/database/migrations.js';
import { poolOf } from '../../../src/kernel/database/pool.js';
import { StoreNames } from '../../../src/kernel/database/store-names.js';
import { templatePath } from '../../../src/kernel/database/template.js';
import '../../../src/kernel/database/type-parsers.js';
import { EventLog } from '../../../src/kernel/events/event-log.js';
import { Tenant } from '../../../src/kernel/tenancy/tenant.entity.js';
import * as rows from '../../../src/tracker/entities.js';
import type { Viewer } from '../../../src/tracker/access/viewer.js';
import { insertRows } from '../../support/rows.js';

export interface TestStore {
  dataSource: DataSource;
  db: Db;
  eventLog: EventLog;
  clock: Clock;
  /** Every statement that was sent. */
  statements: string[];
}

/** Shared by the files of a worker, and closed with it. */
let embeddedDatabase: Promise<Started> | undefined;

/** The store of a spec file. */
export function useStore(): TestStore {
  const store = { statements: [] as string[], clock: new Clock() } as TestStore;
  let close = async (): Promise<void> => undefined;
  beforeAll(async () => {
    // these specs create separate organizations, so they can share the server's database
    const url = process.env['DATABASE_URL'];
    if (!url) embeddedDatabase ??= startEmbedded({ dataDir: 'memory', templateOf: templatePath });
    const embedded = (await embeddedDatabase)?.database;
    const dataSource = new DataSource({
      type: 'postgres',
      ...(url ? { url } : {}),
      poolSize: embedded?.isConcurrent === false ? 1 : 4,
      entities: ENTITIES,
      namingStrategy: new StoreNames(),
      migrations: migrationClasses(),
      migrationsTableName: 'migrations',
      installExtensions: false,
      extra: embedded ? { ...embedded.connection, idleTimeoutMillis: 0 } : {},
    });
    await dataSource.initialize();
    await migrate(dataSource);
    close = () => dataSource.destroy();
    store.dataSource = dataSource;
    store.eventLog = new EventLog(new Clock());
    store.db = new Db(dataSource, store.eventLog);
    const heard = new WeakSet<PoolClient>();
    poolOf(dataSource).on('acquire', (client) => {
      if (heard.has(client)) return;
      heard.add(client);
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      Object.assign(client, {
        query: (...args: unknown[]) => {
          const [first] = args as [string | { text: string }];
          store.statements.push(typeof first === 'string' ? first : first.text);
          return query(...args);
        },
      });
    });
  });
  afterAll(() => close());
  return store;
}

type RowClass<R> = abstract new () => R;

/** Inserts a row as given, without values that the entity has no column for. */
async function insert<R extends object>(store: TestStore, row: RowClass<R>, value: Partial<R>): Promise<void> {
  await insertRows(store, row, [value as DeepPartial<R>]);
}

const hex = (length: number): string => randomUUID().replaceAll('-', '').slice(0, length);
type Ref = { id: string };

/** An organization inserted as rows, with helpers that create every parent that is not given. */
export class TestOrganization {
  readonly id = randomUUID();
  readonly urlKey = `o-${hex(12)}`;
  readonly statusId = randomUUID();
  tenantId = 0;
  private ticks = Date.UTC(2026, 0, 1);
  private numbers = 0;

  constructor(private readonly store: TestStore) {}

  static async create(store: TestStore): Promise<TestOrganization> {
    const made = new TestOrganization(store);
    made.tenantId = (await store.dataSource.manager.save(new Tenant())).id;
    await insert(store, rows.Organization, { id: made.id, tenantId: made.tenantId, name: 'Acme', urlKey: made.urlKey });
    const status = { id: made.statusId, name: 'Backlog', type: 'backlog' as const, color: '#bec2c8', position: 0 };
    await made.add(rows.ProjectStatus, status);
    return made;
  }

  /** A time later than all before. */
  tick(): Date {
    return new Date((this.ticks += 60_000));
  }

  async add<R extends object>(row: RowClass<R>, value: Partial<R>): Promise<Partial<R> & Ref> {
    const at = this.tick();
    const full = { id: randomUUID(), organizationId: this.id, createdAt: at, updatedAt: at, ...value };
    await insert(this.store, row as RowClass<object>, full);
    return full as Partial<R> & Ref;
  }

  user(value: Partial<rows.User> = {}) {
    const name = value.displayName ?? `u${hex(8)}`;
    const account = { accountId: `U0${hex(9).toUpperCase()}`, email: `${name}@acme.test` };
    return this.add(rows.User, { ...account, name, displayName: name, ...value });
  }

  async team(value: Partial<rows.Team> = {}, members: Ref[] = []) {
    const team = await this.add(rows.Team, { key: `T${hex(5).toUpperCase()}`, name: 'Team', ...value });
    for (const { id } of members) await this.add(rows.TeamMembership, { teamId: team.id, userId: id });
    return team;
  }

  state(team: Ref, value: Partial<rows.WorkflowState> = {}) {
    const given = { name: `s${hex(8)}`, type: 'backlog' as const, color: '#bec2c8', position: 0, ...value };
    return this.add(rows.WorkflowState, { teamId: team.id, ...given });
  }

  label(value: Partial<rows.IssueLabel> = {}) {
    return this.add(rows.IssueLabel, { name: `l${hex(8)}`, color: '#eb5757', ...value });
  }

  async project(teams: Ref[], value: Partial<rows.Project> = {}) {
    const project = await this.add(rows.Project, {
      name: 'Project',
      slugId: hex(12),
      statusId: this.statusId,
      ...value,
    });
    await insertRows(
      this.store,
      rows.ProjectTeam,
      teams.map(({ id }) => ({ projectId: project.id, teamId: id })),
    );
    return project;
  }

  cycle(team: Ref, value: Partial<rows.Cycle> = {}) {
    const number = ++this.numbers;
    return this.add(rows.Cycle, { teamId: team.id, number, startsAt: this.tick(), endsAt: this.tick(), ...value });
  }

  issue(team: Ref & { key?: string }, state: Ref, value: Partial<rows.Issue> = {}) {
    const number = ++this.numbers;
    const identifier = `${team.key}-${number}`;
    const given = { number, identifier, title: `Issue ${number}`, ...value };
    return this.add(rows.Issue, { teamId: team.id, stateId: state.id, ...given });
  }

  comment(value: Partial<rows.Comment>) {
    return this.add(rows.Comment, { body: 'Hm', ...value });
  }

  /** A session of this user's account, as in an access token. */
  async session(user: Partial<rows.User>): Promise<{ accountId: string; sid: string; organizationId: string }> {
    const [sid, accountId] = [hex(16), user.accountId as string];
    await this.store.dataSource.manager.upsert(Account, { id: accountId, realName: 'Ada' }, ['id']);
    await insertRows(this.store, Session, [{ sid, accountId }]);
    return { accountId, sid, organizationId: this.id };
  }

  viewer(user: Ref, value: Partial<Viewer> = {}): Viewer {
    return {
      userId: user.id,
      organizationId: this.id,
      tenantId: this.tenantId,
      sandbox: null,
      accountId: 'U0',
      name: 'Ada',
      displayName: 'ada',
      email: 'ada@acme.test',
      avatarUrl: null,
      admin: false,
      owner: false,
      urlKey: this.urlKey,
      organizationName: 'Acme',
      gitBranchFormat: null,
      hiddenTeamIds: [],
      archivedTeamIds: [],
      apiKeyId: null,
      ...value,
    };
  }
}
