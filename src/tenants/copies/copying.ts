import { Injectable } from '@nestjs/common';
import { Accounts } from '../../auth/accounts.js';
import type { Tx } from '../../kernel/database/db.js';
import { idSpaceOf, type IdSpace } from '../../kernel/ids/id-space.js';
import { groupBy } from '../../kernel/group-by.js';
import { orgClaimOf } from '../../tracker/access/org-claim.js';
import { TrackerSetup } from '../../tracker/provisioning/setup.js';
import { copiedRows, emailsOf, type CopyContext } from './copied-rows.js';
import {
  COPY_CONTENTS,
  COPY_TRACKER_CONTENTS,
  DEFER,
  INDEX_MESSAGES,
  INSERT_TENANT,
  insertRowsText,
  ROWS,
  setLaterText,
  TABLES,
  URL_KEY,
  type CopiedTable,
} from './copies.queries.js';
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
  readonly workspaceId: string;
  readonly organizationId: string | null;
  readonly adminId: string;
  readonly adminEmail: string;
  /** Client secrets of apps and of applications of OAuth, by their ids. */
  readonly clientSecrets: ReadonlyMap<string, string>;
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
    private readonly tracker: TrackerSetup,
  ) {}

  /**
   * Runs in the caller's transaction.
   * @param passwordHash of the new admin; null: nobody can log in yet
   */
  async copy(tx: Tx, source: CopySource, as: CopyAs, passwordHash: string | null): Promise<CopiedTenant> {
    this.tables ??= await tx.query<CopiedTable>(TABLES);
    const rows = new Map<string, string[]>();
    const before = idSpaceOf(source.idKey ?? null);
    const names = 'ids' in as ? new SameNames(before, as.ids) : new NewNames(before);
    for (const { name, unique } of this.tables) {
      const found = await tx.query<{ id: string | null; value: string }>(ROWS, [source.tenantId, name, source.epoch]);
      rows.set(
        name,
        found.map(({ value }) => value),
      );
      for (const { id } of found) names.add(id);
      if (unique.length === 0) continue;
      for (const { value } of found) {
        const row = JSON.parse(value) as Record<string, unknown>;
        for (const column of unique) names.addUnique(row[column] as string | null);
      }
    }
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
    await this.insert(tx, rows, names, context, workspaceId);
    await tx.query(COPY_CONTENTS, [workspaceId, source.workspaceId]);
    if (organizationId !== null) await tx.query(COPY_TRACKER_CONTENTS, [organizationId, source.tenantId]);
    if (organizationId !== null && context.names) await tx.query(URL_KEY, [organizationId]);
    const { tenantId } = context;
    const adminEmail = emails.get(adminId) as string;
    const grants = await this.grants(tx, source, names);
    return { tenantId, workspaceId, organizationId, adminId, adminEmail, clientSecrets, grants };
  }

  /** Tokens are not copied, but who has some. */
  private async grants(
    tx: Tx,
    { tenantId, epoch, grants: known }: CopySource,
    names: Names,
  ): Promise<ReadonlyMap<string, Grant>> {
    if (known) return grantsOf(names.rename(known));
    const found = await tx.query<{ value: string }>(ROWS, [tenantId, 'tokens', epoch]);
    const live = found
      .map(({ value }) => JSON.parse(value) as TokenRow)
      .filter((row) => row.app_id !== null && row.revoked_at === null);
    const grants = new Map<string, Grant>();
    for (const [appId, tokens] of groupBy(live, ({ app_id: app }) => String(app))) {
      const people = tokens.filter(({ kind, is_consented: isConsented }) => kind === 'user' && isConsented);
      grants.set(names.of(appId), {
        people: new Map(people.map(({ user_id: user, scopes }) => [names.of(user), scopes])),
        hasOwnToken: tokens.some(({ kind, is_consented: isConsented }) => kind === 'user' && !isConsented),
        isRotating: tokens.some(({ kind }) => kind === 'refresh'),
      });
    }
    return grants;
  }

  /** An API key of the tracker for the admin. */
  async keyFor(tx: Tx, organizationId: string, trackerUserId: string): Promise<string> {
    const key = await this.tracker.createApiKey(tx, { organizationId, userId: trackerUserId, label: 'default' });
    return (key as { token: string }).token;
  }

  private async insert(
    tx: Tx,
    rows: ReadonlyMap<string, string[]>,
    names: Names,
    context: CopyContext,
    workspaceId: string,
  ): Promise<void> {
    await tx.query(DEFER);
    const waiting: { table: CopiedTable; copied: string[] }[] = [];
    for (const table of this.tables ?? []) {
      const copied: string[] = [];
      // a page at a time, so that other calls run in between
      for (const page of pagesOf(rows.get(table.name) ?? [])) {
        const renamed = copiedRows(table, page, names, context);
        if (renamed.length > 0) await tx.queryText(insertRowsText(table), [listOf(renamed)]);
        if (table.later.length > 0) copied.push(...renamed);
      }
      if (copied.length > 0) waiting.push({ table, copied });
      if (table.name === 'messages') await tx.query(INDEX_MESSAGES, [workspaceId]);
    }
    for (const { table, copied } of waiting) await setLater(tx, table, copied);
  }
}

const parsed = (rows: ReadonlyMap<string, string[]>, table: string): Record<string, unknown>[] =>
  (rows.get(table) ?? []).map((row) => JSON.parse(row) as Record<string, unknown>);

/** Sets the references to rows that were inserted later. */
async function setLater(tx: Tx, table: CopiedTable, copied: readonly string[]): Promise<void> {
  const some = copied.filter((row) => {
    const value = JSON.parse(row) as Record<string, unknown>;
    return table.later.some((column) => value[column] !== null);
  });
  for (const page of pagesOf(some)) await tx.queryText(setLaterText(table), [listOf(page)]);
}

function* pagesOf(rows: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < rows.length; from += AT_ONCE) yield rows.slice(from, from + AT_ONCE);
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
