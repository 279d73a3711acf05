import { LongWork } from '../../kernel/clock/long-work.js';
import type { Tx } from '../../kernel/database/db.js';
import type { NewApp } from '../../messaging/store/app.entity.js';
import { botsOf, type NewUser } from '../../messaging/provisioning/bulk-rows.js';
import { Usergroup } from '../../messaging/store/usergroup.entity.js';
import type { CreatedTenant } from '../new-tenant.js';
import type { Seed } from './seed-types.js';
import { withoutAt } from '../../kernel/text/names.js';
import { APPS_OF_WORKSPACE, CHANNELS_BY_NAME } from '../../messaging/provisioning/seeds.queries.js';
import { USERS } from './seed-chat.queries.js';

/** The tenant that a document fills. */
export interface SeedContext {
  readonly tenantId: number;
  readonly workspaceId: string;
  readonly domain: string;
  readonly organizationId: string;
  /** The primary owner, who is the author of everything that names none. */
  readonly adminId: string;
  /** The tenant was made for the document: its teams replace the existing one. */
  readonly isNew: boolean;
  /** Everything the document names is made by it; existing people and channels are conflicts. */
  readonly onlyNew?: boolean;
  /** Bots that join each new channel, besides the admin. */
  readonly inChannels?: readonly string[];
}

export interface KnownUser {
  readonly id: string;
  readonly trackerId: string | null;
  readonly isBot: boolean;
  /** Existed before the document. */
  readonly wasThere: boolean;
}

export type KnownApp = NewApp & { readonly isDefault: boolean };

/** The initial content of a workspace. */
const FIRST_CHANNELS = ['general', 'random'] as const;

/** What a document can refer to by name: existing objects, then those that it makes itself. */
export class KnownObjects {
  readonly users = new Map<string, KnownUser>();
  readonly apps = new Map<string, KnownApp>();
  readonly channels = new Map<string, { readonly id: string; readonly lastTs: number }>();
  /** Ids of user groups by their handles. */
  readonly usergroups = new Map<string, string>();

  constructor(readonly adminId: string) {}

  /** The initial content of a new tenant, as far as a document can name it before it exists. */
  static ofNewTenant(appName: string): KnownObjects {
    const known = new KnownObjects('');
    known.users.set('admin', { id: '', trackerId: null, isBot: false, wasThere: false });
    known.apps.set(appName, { name: appName } as KnownApp);
    for (const name of FIRST_CHANNELS) known.channels.set(name, { id: '', lastTs: 0 });
    return known;
  }

  /**
   * The same once the tenant exists.
   * @param ownerId of its primary owner, in the organization
   */
  static ofMade({ admin, app, channels }: CreatedTenant, ownerId: string): KnownObjects {
    const known = new KnownObjects(admin.id);
    known.users.set(admin.name, { id: admin.id, trackerId: ownerId, isBot: false, wasThere: true });
    const [bot] = botsOf([{ app, isDefault: app.isDefault }], new Set([admin.name]));
    known.users.set((bot as NewUser).handle, { id: app.botUserId, trackerId: null, isBot: true, wasThere: true });
    known.apps.set(app.name, app);
    for (const name of FIRST_CHANNELS) known.channels.set(name, { id: channels[name], lastTs: 0 });
    return known;
  }

  /**
   * Loads existing objects.
   * @param seed only the channels that it names are loaded
   */
  static async load(
    tx: Tx,
    { workspaceId, organizationId, adminId, isNew }: SeedContext,
    seed: Seed,
  ): Promise<KnownObjects> {
    const known = new KnownObjects(adminId);
    const users = await tx.query<{ id: string; name: string; isBot: boolean; trackerId: string | null }>(USERS, [
      workspaceId,
      organizationId,
    ]);
    for (const { name, ...user } of users) known.users.set(name, { ...user, wasThere: true });
    for (const app of await tx.query<KnownApp & Record<string, unknown>>(APPS_OF_WORKSPACE, [workspaceId])) {
      if (!known.apps.has(app.name)) known.apps.set(app.name, app);
    }
    const names = isNew ? [...FIRST_CHANNELS] : await channelsOf(seed);
    const channels = await tx.query<{ id: string; name: string; lastTs: number }>(CHANNELS_BY_NAME, [
      workspaceId,
      names,
    ]);
    for (const { name, ...channel } of channels) known.channels.set(name, channel);
    for (const { id, handle } of await tx.sql.findBy(Usergroup, { workspaceId })) known.usergroups.set(handle, id);
    return known;
  }

  get defaultApp(): KnownApp | undefined {
    return [...this.apps.values()].find(({ isDefault }) => isDefault) ?? [...this.apps.values()][0];
  }

  /** A person; `admin` is the primary owner unless another person has that name. */
  person(name: string): KnownUser | undefined {
    const bare = withoutAt(name);
    const user = this.users.get(bare);
    if (user && !user.isBot) return user;
    return bare === 'admin' ? [...this.users.values()].find(({ id }) => id === this.adminId) : undefined;
  }

  /** The user id of a person, or of the bot of the app with this name. */
  userId(name: string): string | undefined {
    return this.person(name)?.id ?? this.apps.get(withoutAt(name))?.botUserId ?? this.users.get(withoutAt(name))?.id;
  }

  /** The same by name or id. */
  member(nameOrId: string): string | undefined {
    const id = this.userId(nameOrId);
    if (id !== undefined || !nameOrId.startsWith('U')) return id;
    return [...this.users.values()].some((user) => user.id === nameOrId) ? nameOrId : undefined;
  }

  /** Ids of existing objects, which a document may repeat. */
  get ids(): ReadonlySet<string> {
    return new Set([...this.users.values(), ...this.apps.values(), ...this.channels.values()].map(({ id }) => id));
  }
}

/** `<@name>` and `<#name>` in texts. */
export const PERSON_IN_TEXT = /<@([a-z0-9][a-z0-9._-]*)>/g;
/** `<!subteam^handle>` */
export const GROUP_IN_TEXT = /<!subteam\^([a-z0-9][a-z0-9._-]{0,20})>/g;
export const CHANNEL_IN_TEXT = /<#([^>|<]{1,80})>/g;

/** Names of channels that a document could refer to. */
async function channelsOf(seed: Seed): Promise<string[]> {
  const names = new Set([
    ...seed.channels.map(({ name }) => name),
    ...seed.usergroups.flatMap(({ channels }) => channels),
    ...seed.incoming.map(({ channel }) => channel),
    ...seed.outgoing.flatMap(({ channel }) => channel ?? []),
  ]);
  const look = (text: string): void => {
    for (const [, name] of text.matchAll(CHANNEL_IN_TEXT)) names.add(name as string);
  };
  const work = new LongWork();
  for (const { messages } of [...seed.channels, ...seed.dms]) {
    for (const { text, blocks, attachments } of messages) {
      await work.pause();
      look(text);
      if (blocks || attachments) look(JSON.stringify([blocks, attachments]));
    }
  }
  return [...names];
}

/** The objects that a document made, by their names. */
export interface Seeded {
  readonly users: Record<string, SeededUser>;
  readonly channels: Record<string, string>;
  readonly apps: Record<string, SeededApp>;
  readonly teams: Record<string, { id: string }>;
  readonly tracker_apps: Record<string, SeededApplication>;
  readonly refs: Record<string, object>;
}

/** An application of OAuth; tokens and the user of its own are null where it is not authorized so. */
export interface SeededApplication {
  readonly id: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly webhook_secret: string | null;
  readonly access_token: string | null;
  readonly refresh_token: string | null;
  readonly app_user_id: string | null;
}

export interface SeededUser {
  readonly user_id: string;
  readonly access_token: string;
  readonly tracker_user_id: string | null;
}

export interface SeededApp {
  readonly app_id: string;
  readonly bot_token: string | null;
  readonly user_token: string | null;
  readonly app_token: string | null;
  readonly signing_secret: string;
  readonly bot_user_id: string | null;
  readonly bot_id: string | null;
  readonly client_id: string | null;
  /** Null for an app that was there: it is stored as a hash. */
  readonly client_secret: string | null;
  /** Of a rotating bot token. */
  readonly refresh_token?: string;
  readonly expires_in?: number;
  /** Of the people for whom it is installed, by name. */
  readonly users?: Readonly<Record<string, { readonly user_token: string; readonly refresh_token?: string }>>;
}
