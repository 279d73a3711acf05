import { Injectable } from '@nestjs/common';
import { Accounts } from '../../auth/accounts.js';
import type { Tx } from '../../kernel/database/db.js';
import { idSpaceOf, type IdSpace } from '../../kernel/ids/id-space.js';
import { groupBy } from '../../kernel/group-by.js';
import { COPY_CONTENTS } from '../../messaging/files/files.queries.js';
import { INDEX_MESSAGES } from '../../messaging/search/search-backlog.queries.js';
import { orgClaimOf } from '../../tracker/access/org-claim.js';
import { COPY_TRACKER_CONTENTS } from '../../tracker/files/files.queries.js';
import { INSERT_URL_KEY } from '../../tracker/provisioning/setup.queries.js';
import { copiedRows, emailsOf, type CopyContext } from './copied-rows.js';
import { DEFER, INSERT_TENANT, insertRowsText, setLaterText, TABLES, type CopiedTable } from './copies.queries.js';
import { KeptStates, type State } from './kept-states.js';
import { NewNames, SameNames, type Names } from './new-names.js';

/** Rows per statement. */
const AT_ONCE = 2_000;

/** The snapshot that is copied. */
export interface CopySource {
  readonly tenantId: number;
  readonly epoch: number;
  readonly workspaceId: string;
  readonly adminId: string;
  /** For whom apps are installed in it, as JSON, where it has no tokens that say so. */
  readonly grants?: string | null;
  /** With the number of the organization's last change, which no row of the snapshot says. */
  readonly clock?: { readonly syncId?: number | null };
  /** What tells its callers' ids from the stored ones, if they are its own. */
  readonly idKey?: number | null;
}

/** What a copy is called: a domain of its own, or ids of its own, so that all names stay. */
export type CopyAs = { readonly domain: string } | { readonly ids: IdSpace };

interface TokenRow {
  /** Null: a configuration token. */
  readonly app_id: string | null;
  readonly user_id: string;
  readonly kind: string;
  readonly scopes: readonly string[];
  readonly is_consented: boolean;
  readonly revoked_at: string | null;
}

/** The new tenant. */
export interface CopiedTenant {
  readonly tenantId: number;
  /** How many rows were copied. */
  readonly rows: number;
  readonly workspaceId: string;
  readonly organizationId: string | null;
  readonly adminId: string;
  readonly adminEmail: string;
  /** Client secrets of apps and of applications of OAuth, by their ids. */
  readonly clientSecrets: ReadonlyMap<string, string>;
  /** What its rows do not have yet: hashes of those secrets, and of the admin's password. */
  readonly unstored?: {
    readonly secrets: readonly { id: string; hash: string }[];
    readonly passwordHash: string | null;
  };
  /** For whom apps are installed, by their ids. */
  readonly grants: ReadonlyMap<string, Grant>;
}

/** For whom an app is installed. */
export interface Grant {
  /** Scopes of the people who consented, by their ids. */
  readonly people: ReadonlyMap<string, readonly string[]>;
  /** Whether it has a token for its maker as well, which nobody consented to. */
  readonly hasOwnToken: boolean;
  readonly isRotating: boolean;
}

/**
 * Copies all rows of a tenant in the state of a snapshot, under new ids: every table that a migration has declared as a
 * tenant's state. The content of a snapshot does not change, so no call has to wait meanwhile.
 */
@Injectable()
export class Copying {
  private tables: readonly CopiedTable[] | undefined;

  constructor(
    private readonly accounts: Accounts,
    private readonly states: KeptStates,
  ) {}

  /**
   * Runs in the caller's transaction.
   * @param passwordHash of the new admin; null: nobody can log in yet
   */
  async copy(tx: Tx, source: CopySource, as: CopyAs, passwordHash: string | null): Promise<CopiedTenant> {
    this.tables ??= await tx.query<CopiedTable>(TABLES);
    const { rows, ids, unique } = await this.states.of(tx, source, this.tables);
    const before = idSpaceOf(source.idKey ?? null);
    const names = 'ids' in as ? new SameNames(before, as.ids) : new NewNames(before);
    for (const id of ids) names.add(id);
    for (const value of unique) names.addUnique(value);
    const organization = rows.get('organizations')?.[0];
    const organizationId =
      organization === undefined ? null : names.of((JSON.parse(organization) as { id: string }).id);
    const { emails, people } = emailsOf(
      rows.get('users') ?? [],
      rows.get('tracker_users') ?? [],
      names,
      'ids' in as ? null : as.domain,
    );
    const [tenant] = await tx.query<{ id: number }>(INSERT_TENANT);
    const guests = new Set(
      parsed(rows, 'apps').flatMap((app) => (app['home_id'] === null ? [] : [names.of(String(app['id']))])),
    );
    const guestTargets = new Set(
      parsed(rows, 'event_targets').flatMap(({ id, app_id }) =>
        guests.has(names.of(String(app_id))) ? [names.of(String(id))] : [],
      ),
    );
    const applications = new Set(parsed(rows, 'oauth_applications').map(({ id }) => names.of(String(id))));
    for (const { id, application_id: application } of parsed(rows, 'tracker_webhooks')) {
      if (application !== null && !applications.has(names.of(String(application))))
        guestTargets.add(names.of(String(id)));
    }
    const clientSecrets = new Map<string, string>();
    const found = { guests, guestTargets, clientSecrets, applications };
    const context = {
      tenantId: (tenant as { id: number }).id,
      names: 'ids' in as ? null : { domain: as.domain, urlKey: as.domain },
      lastSyncId: source.clock?.syncId ?? null,
      seal: (secret: string) => tx.secrets.seal(secret),
      emails,
      ...found,
    };
    const adminId = names.of(source.adminId);
    await this.accounts.createAll(
      tx,
      people.map(({ id, realName }) => ({
        id,
        realName,
        email: emails.get(id) as string,
        passwordHash: id === adminId ? passwordHash : null,
      })),
      organizationId === null ? {} : { org: orgClaimOf(organizationId) },
    );
    const workspaceId = names.of(source.workspaceId);
    const inserted = await this.insert(tx, rows, names, context, workspaceId);
    if (rows.has('files')) await tx.query(COPY_CONTENTS, [workspaceId, source.workspaceId]);
    if (organizationId !== null && rows.has('tracker_files'))
      await tx.query(COPY_TRACKER_CONTENTS, [organizationId, source.tenantId]);
    if (organizationId !== null && context.names) await tx.query(INSERT_URL_KEY, [organizationId]);
    const { tenantId } = context;
    const adminEmail = emails.get(adminId) as string;
    const grants = source.grants ? grantsOf(names.rename(source.grants)) : grantsIn(rows.get('tokens') ?? [], names);
    return { tenantId, rows: inserted, workspaceId, organizationId, adminId, adminEmail, clientSecrets, grants };
  }

  /** Returns how many there are. */
  private async insert(
    tx: Tx,
    rows: State['rows'],
    names: Names,
    context: CopyContext,
    workspaceId: string,
  ): Promise<number> {
    let inserted = 0;
    const pages = pagesOf(this.tables ?? [], rows);
    // references of one statement are checked at its end anyway
    if (pages.length > 1) await tx.query(DEFER);
    const waiting: { table: CopiedTable; copied: string[] }[] = [];
    // a page at a time, so that other calls run in between
    for (const page of pages) {
      const copies = page
        .map(({ table, some }) => ({ table, copied: copiedRows(table, some, names, context) }))
        .filter(({ copied }) => copied.length > 0);
      if (copies.length === 0) continue;
      for (const { copied } of copies) inserted += copied.length;
      const tables = copies.map(({ table }) => table);
      const lists = copies.map(({ copied }) => listOf(copied));
      await tx.queryText(insertRowsText(tables, pages.length === 1), lists);
      if (pages.length > 1) waiting.push(...copies.filter(({ table }) => table.later.length > 0));
    }
    for (const { table, copied } of waiting) await setLater(tx, table, copied);
    await tx.query(INDEX_MESSAGES, [workspaceId]);
    return inserted;
  }
}

const parsed = (rows: State['rows'], table: string): Record<string, unknown>[] =>
  (rows.get(table) ?? []).map((row) => JSON.parse(row) as Record<string, unknown>);

/** Tokens are not copied, but who has some. */
function grantsIn(tokens: readonly string[], names: Names): ReadonlyMap<string, Grant> {
  const live = tokens
    .map((value) => JSON.parse(value) as TokenRow)
    .filter((row) => row.app_id !== null && row.revoked_at === null);
  const grants = new Map<string, Grant>();
  for (const [appId, of] of groupBy(live, ({ app_id: app }) => String(app))) {
    const people = of.filter(({ kind, is_consented: isConsented }) => kind === 'user' && isConsented);
    grants.set(names.of(appId), {
      people: new Map(people.map(({ user_id: user, scopes }) => [names.of(user), scopes])),
      hasOwnToken: of.some(({ kind, is_consented: isConsented }) => kind === 'user' && !isConsented),
      isRotating: of.some(({ kind }) => kind === 'refresh'),
    });
  }
  return grants;
}

/** Sets the references to rows that were inserted later. */
async function setLater(tx: Tx, table: CopiedTable, copied: readonly string[]): Promise<void> {
  const some = copied.filter((row) => {
    const value = JSON.parse(row) as Record<string, unknown>;
    return table.later.some((column) => value[column] !== null);
  });
  if (some.length > 0) await tx.queryText(setLaterText(table), [listOf(some)]);
}

interface Part {
  readonly table: CopiedTable;
  readonly some: readonly string[];
}

/** The rows of tables in pieces for one statement each. */
function pagesOf(tables: readonly CopiedTable[], rows: State['rows']): Part[][] {
  const pages: Part[][] = [];
  let room = 0;
  for (const table of tables) {
    const all = rows.get(table.name) ?? [];
    for (let from = 0; from < all.length;) {
      if (room === 0) {
        pages.push([]);
        room = AT_ONCE;
      }
      const some = all.slice(from, from + room);
      pages.at(-1)?.push({ table, some });
      from += some.length;
      room -= some.length;
    }
  }
  return pages;
}

/** Rows of JSON as one JSON list. */
const listOf = (rows: readonly string[]): string => `[${rows.join(',')}]`;

/** Grants as JSON, in which ids can be renamed. */
export const grantsToJson = (grants: ReadonlyMap<string, Grant>): string =>
  JSON.stringify([...grants].map(([app, { people, ...grant }]) => [app, { ...grant, people: [...people] }]));

export const grantsOf = (json: string): ReadonlyMap<string, Grant> =>
  new Map(
    (JSON.parse(json) as [string, Omit<Grant, 'people'> & { people: [string, string[]][] }][]).map(
      ([app, { people, ...grant }]) => [app, { ...grant, people: new Map(people) }],
    ),
  );
