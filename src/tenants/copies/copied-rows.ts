import { newAlphanumeric, newHex, sha256Hex } from '../../kernel/ids/ids.js';
import { newClientId } from '../../messaging/provisioning/initial-values.js';
import type { CopiedTable } from './copies.queries.js';
import type { Names } from './new-names.js';

type Row = Record<string, unknown>;

/** The new tenant's columns. */
export interface CopyContext {
  readonly tenantId: number;
  /** Null: the copy's callers see the names of the sandbox, and other secrets. */
  readonly names: { readonly domain: string; readonly urlKey: string } | null;
  /** The number of the organization's last change; null: its row's. */
  readonly lastSyncId: number | null;
  readonly seal: (secret: string) => string;
  /** E-mail addresses of people, by their new account ids. */
  readonly emails: ReadonlyMap<string, string>;
  /** New ids of apps that are registered elsewhere, and of their targets of events. */
  readonly guests: ReadonlySet<string>;
  readonly guestTargets: ReadonlySet<string>;
  /** Filled with the client secrets of apps, by their new ids. */
  readonly clientSecrets: Map<string, string>;
  /** New ids of applications of OAuth that are registered in it. */
  readonly applications: ReadonlySet<string>;
}

/** Values of a row that change besides its ids. Null: the row is not copied. */
const CHANGES: Readonly<Record<string, (row: Row, context: CopyContext) => Row | null>> = {
  workspaces: (row, { names }) => ({
    ...row,
    ...(names && { domain: names.domain }),
    is_default: false,
    has_own_ids: names === null ? true : null,
    id_draws: null,
  }),
  users: (row, { emails, guests, names }) => ({
    ...row,
    ...(names && { email: emails.get(String(row['id'])) ?? null }),
    ...(guests.has(String(row['app_id'])) && row['deleted_at'] === null ? { deleted_at: new Date() } : {}),
  }),
  tracker_users: (row, { emails, applications, names }) =>
    row['application_id'] === null
      ? { ...row, email: (names && emails.get(String(row['account_id']))) ?? row['email'] }
      : {
          ...row,
          email: `${String(row['application_id'])}@oauthapp.invalid`,
          active: row['active'] === true && applications.has(String(row['application_id'])),
        },
  oauth_applications: (row, { clientSecrets, names, seal }) => {
    const secret = newHex(64);
    clientSecrets.set(String(row['id']), secret);
    const hook = row['webhook_secret'] === null ? null : seal(newHex(64));
    return {
      ...row,
      client_secret_hash: sha256Hex(secret),
      ...(names === null && { client_id: newHex(32), webhook_secret: hook }),
    };
  },
  // of applications of other organizations nothing is copied but what they made
  oauth_authorizations: (row, { applications }) => (applications.has(String(row['application_id'])) ? row : null),
  tracker_webhooks: (row, context) =>
    row['application_id'] === null || context.applications.has(String(row['application_id']))
      ? withNewSecret(row, context)
      : null,
  organizations: (row, { names, lastSyncId }) =>
    names
      ? { ...row, url_key: names.urlKey, previous_url_keys: [], last_sync_id: 0, has_own_ids: null }
      : { ...row, has_own_ids: true, ...(lastSyncId !== null && { last_sync_id: lastSyncId }) },
  // group conversations are found by the sorted ids of their members
  conversations: (row) => ({
    ...row,
    members_key: typeof row['members_key'] === 'string' ? row['members_key'].split(',').sort().join(',') : null,
  }),
  // apps of other workspaces are not copied: what they left behind belongs to nobody
  apps: (row, { clientSecrets, names, seal }) => {
    if (row['home_id'] !== null) return null;
    const secret = newHex(32);
    clientSecrets.set(String(row['id']), secret);
    return {
      ...row,
      client_id: newClientId(),
      client_secret_hash: sha256Hex(secret),
      ...(names === null && { signing_secret: seal(newHex(32)), verification_token: seal(newAlphanumeric(24)) }),
    };
  },
  event_targets: (row, context) =>
    context.guests.has(String(row['app_id'])) ? null : row['app_id'] === null ? withNewSecret(row, context) : row,
  delivery_targets: (row, { guestTargets }) =>
    guestTargets.has(String(row['id']))
      ? null
      : { ...row, last_status: null, exhausted_in_row: 0, lane_owner: null, lane_until: null },
  slash_commands: (row, { guests }) => (guests.has(String(row['app_id'])) ? null : row),
  incoming_webhooks: (row, { guests }) => (guests.has(String(row['app_id'])) ? null : row),
  // upload slots are not copied, nor what makes a file public
  files: (row) =>
    row['state'] === 'complete' || row['state'] === 'deleted'
      ? { ...row, upload_hash: null, public_secret: null }
      : null,
  tracker_files: (row) => (row['content_hash'] === null ? null : row),
};

/** Callers who see the same ids tell sandboxes apart by their secrets. */
const withNewSecret = (row: Row, { names, seal }: CopyContext): Row =>
  names === null && typeof row['secret'] === 'string' ? { ...row, secret: seal(`svc_wh_${newAlphanumeric(40)}`) } : row;

/** The JSON of a table's rows for the copy. */
export function copiedRows(
  { name, columns, unique }: Pick<CopiedTable, 'name' | 'columns' | 'unique'>,
  rows: readonly string[],
  names: Names,
  context: CopyContext,
): string[] {
  const change = CHANGES[name];
  const isOwned = columns.includes('tenant_id');
  return rows.flatMap((row) => {
    const renamed = names.rename(row);
    if (!change && unique.length === 0 && !isOwned) return [renamed];
    const value = JSON.parse(renamed) as Row;
    for (const column of unique) if (typeof value[column] === 'string') value[column] = names.ofUnique(value[column]);
    const owned = isOwned ? { ...value, tenant_id: context.tenantId } : value;
    const changed = change ? change(owned, context) : owned;
    return changed === null ? [] : [JSON.stringify(changed)];
  });
}

/**
 * An address for everyone with an account: by handle, or by display name for those known to the tracker only.
 * @param domain null: they keep theirs
 */
export function emailsOf(
  users: readonly string[],
  trackerUsers: readonly string[],
  names: Names,
  domain: string | null,
): { emails: Map<string, string>; people: { id: string; realName: string }[] } {
  const emails = new Map<string, string>();
  const taken = new Set<string>();
  const people: { id: string; realName: string }[] = [];
  const add = (oldId: string, name: string, realName: string, known: string | null): void => {
    const id = names.of(oldId);
    if (emails.has(id)) return;
    if (domain === null) {
      emails.set(id, known ?? '');
      people.push({ id, realName });
      return;
    }
    let email = `${name}@${domain}.example`;
    for (let number = 2; taken.has(email); number++) email = `${name}${number}@${domain}.example`;
    taken.add(email);
    emails.set(id, email);
    people.push({ id, realName });
  };
  for (const text of users) {
    const {
      id,
      name,
      is_bot: isBot,
      email,
      profile,
    } = JSON.parse(text) as {
      id: string;
      name: string;
      is_bot: boolean;
      email: string | null;
      profile: { real_name?: string };
    };
    if (!isBot) add(id, name, profile.real_name ?? name, email);
  }
  for (const text of trackerUsers) {
    const user = JSON.parse(text) as {
      account_id: string;
      display_name: string;
      name: string;
      email: string;
      application_id: string | null;
    };
    if (user.application_id !== null) continue;
    add(user.account_id, user.display_name.replace(/[^a-z0-9._-]/g, '-'), user.name, user.email);
  }
  return { emails, people };
}
