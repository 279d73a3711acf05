import { BadRequestException, Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Passwords } from '../../auth/passwords.js';
import { Clock } from '../../kernel/clock/clock.js';
import { enterDraw, withIds, type SandboxTime } from '../../kernel/clock/request-sandbox.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { IdSpace } from '../../kernel/ids/id-space.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import { BulkSetup } from '../../messaging/provisioning/bulk-setup.js';
import { OauthApplication } from '../../tracker/store/oauth-application.entity.js';
import { OauthAuthorization } from '../../tracker/oauth/oauth-authorization.entity.js';
import { TenantRemoval } from '../removal/tenant-removal.js';
import { withFreedNames } from '../seeds/freed-names.js';
import { RESTART_SCRIPT } from '../scripts/script-store.queries.js';
import type { SandboxCaller } from '../sandbox-callers.js';
import type { KnownApp, KnownUser, Seeded, SeededApplication } from '../seeds/known-objects.js';
import {
  describe,
  madeUpDomain,
  newControlToken,
  nextIds,
  type NewSandbox,
  type SandboxCredentials,
  type SandboxOptions,
} from '../seeds/new-sandbox.js';
import { SeedApplications, shownApplication } from '../seeds/seed-applications.js';
import { toSeededApp, tokensOf, type Halves } from '../seeds/app-credentials.js';
import { SeedHooks } from '../seeds/seed-hooks.js';
import { SeedPeople } from '../seeds/seed-people.js';
import {
  APPS_OF_COPY,
  COUNT_COPIES,
  HOLD_SNAPSHOT,
  LOCK_ROOT,
  NAMES_OF_COPY,
  REFS_OF_COPY,
  SET_BASELINE_ROWS,
  SET_COPIED_FROM,
} from './copies.queries.js';
import { Copying, type CopiedTenant, type CopySource, type Grant } from './copying.js';

/** The most copies that a sandbox's control token may have at once. */
const MAX_COPIES = 100;
/** How long the access tokens of its people live, in seconds. */
const ACCESS_TOKEN_SECONDS = 86_400;

/** What a copy has in place of what is not copied is derived from these numbers: no call has them. */
export const COPYING = -1;
const OPENING = -2;

/** The clock of a snapshot, with the number of the organization's last change; snapshots of old have less. */
export interface StoredClock {
  readonly offset: number;
  readonly frozenAt: number | null;
  readonly signWith: 'wall' | 'sandbox';
  readonly tickMs?: number;
  readonly syncId?: number | null;
}

export interface Snapshot extends CopySource, Record<string, unknown> {
  readonly randomSeed: number;
  readonly owner: string | null;
  /** The first sandbox of a chain of copies. */
  readonly root: number;
  readonly clock: StoredClock;
}

interface Named extends Record<string, unknown> {
  readonly kind: 'user' | 'channel' | 'team';
  readonly name: string;
  readonly id: string;
  readonly trackerId: string | null;
}

/** Makes new sandboxes from a snapshot, under new ids and with new credentials. */
@Injectable()
export class SandboxCopies {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly copying: Copying,
    private readonly setup: BulkSetup,
    private readonly people: SeedPeople,
    private readonly hooks: SeedHooks,
    private readonly applications: SeedApplications,
    private readonly turns: FillingTurns,
    private readonly removal: TenantRemoval,
  ) {}

  /**
   * @param bounds.seconds the lifetime of a copy that no operator makes; 0: unlimited
   * @param bounds.sandboxes the most sandboxes then; 0: any number
   * @throws RestError 404 snapshot_not_found, 409 too_many_sandboxes
   */
  async make(
    caller: SandboxCaller,
    snapshotId: string,
    options: Omit<SandboxOptions, 'time' | 'tickMs' | 'owner' | 'randomSeed'>,
    bounds: { readonly seconds: number; readonly sandboxes: number },
  ): Promise<NewSandbox> {
    const { password, stored } = this.passwords.makeUp();
    const controlToken = newControlToken();
    const copy = async (tx: Tx, ids: IdSpace | null) => {
      const [snapshot] = await tx.query<Snapshot>(HOLD_SNAPSHOT, [snapshotId]);
      if (!snapshot || !mayCopy(caller, snapshot)) throw new RestError(404, 'snapshot_not_found');
      requireFrozen(options.isDeterministic, snapshot.clock);
      if (ids) enterDraw(snapshot.randomSeed, COPYING);
      const isOperators = mayAsOperator(caller, snapshot);
      if (!isOperators) await this.requireRoom(tx, snapshot.root);
      const copied = await this.copying.copy(tx, snapshot, ids ? { ids } : { domain: madeUpDomain() }, stored);
      await tx.query(SET_COPIED_FROM, [copied.tenantId, isOperators ? null : snapshot.root, snapshot.clock.signWith]);
      const own = {
        ...options,
        owner: isOperators ? (caller.admin?.name ?? snapshot.owner) : snapshot.owner,
        ttlSeconds: isOperators ? options.ttlSeconds : capped(options.ttlSeconds, bounds.seconds),
        randomSeed: snapshot.randomSeed,
      };
      const made = { controlToken, password: ids ? null : password, limit: bounds.sandboxes, ids };
      const completed = await this.complete(tx, copied, snapshot.clock, own, made);
      return { tenantId: copied.tenantId, ids, ...completed };
    };
    return this.turns.fill(() =>
      withFreedNames(this.removal, async () => {
        const ids = options.hasOwnIds ? await nextIds(this.db) : null;
        return withIds(ids, () => this.db.write((tx) => copy(tx, ids)));
      }),
    );
  }

  /**
   * The snapshot that a caller may copy as an operator, locked.
   * @throws RestError 404 snapshot_not_found
   */
  async snapshotFor(tx: Tx, caller: SandboxCaller, snapshotId: string): Promise<Snapshot> {
    const [snapshot] = await tx.query<Snapshot>(HOLD_SNAPSHOT, [snapshotId]);
    if (!snapshot || !mayAsOperator(caller, snapshot)) throw new RestError(404, 'snapshot_not_found');
    return snapshot;
  }

  /**
   * Makes a copied tenant a sandbox whose life and clock begin now: credentials, script, settings.
   * @param made.limit the most sandboxes then; 0: any number
   * @throws RestError 409 too_many_sandboxes
   */
  async complete(
    tx: Tx,
    copied: CopiedTenant,
    clock: Snapshot['clock'],
    options: Omit<SandboxOptions, 'time' | 'tickMs'>,
    made: {
      readonly controlToken: string;
      readonly password: string | null;
      readonly limit: number;
      readonly ids: IdSpace | null;
    },
  ): Promise<Pick<NewSandbox, 'credentials' | 'hasScript'>> {
    const time = timeOf(clock);
    // the same whether it was copied just now or waited in a pool
    if (made.ids) enterDraw(options.randomSeed, OPENING);
    const credentials = await this.clock.within(time, () => this.open(tx, copied, made));
    const now = this.clock.within(time, () => Math.round(this.clock.nowMicros()));
    const runs = time === null || time.frozenAt === null;
    const script = [copied.tenantId, now, this.clock.wallOffsetMicros, runs, this.clock.wallMs()];
    const [restarted] = await tx.query<{ hasScript: boolean }>(RESTART_SCRIPT, script);
    // a reset keeps the new credentials, as they are part of its baseline
    await describe(tx, copied.tenantId, { ...options, time, tickMs: clock.tickMs ?? 0 }, made);
    await tx.query(SET_BASELINE_ROWS, [copied.tenantId, copied.rows]);
    return { credentials, hasScript: restarted?.hasScript === true };
  }

  private async requireRoom(tx: Tx, root: number): Promise<void> {
    await tx.query(LOCK_ROOT, [root % 2 ** 31]);
    const [row] = await tx.query<{ count: number }>(COUNT_COPIES, [root]);
    if ((row?.count ?? 0) >= MAX_COPIES) throw new RestError(409, 'too_many_sandboxes');
  }

  /** New credentials for everyone and everything in it. */
  private async open(
    tx: Tx,
    copied: CopiedTenant,
    made: { readonly controlToken: string; readonly password: string | null },
  ): Promise<SandboxCredentials> {
    const { workspaceId, organizationId, adminId, tenantId } = copied;
    const found = await tx.query<KnownApp & Record<string, unknown>>(APPS_OF_COPY, [workspaceId]);
    const apps = found.map((app) => ({ ...app, clientSecret: copied.clientSecrets.get(app.id) ?? '' }));
    const names = await tx.query<Named>(NAMES_OF_COPY, [workspaceId, organizationId]);
    const of = (kind: Named['kind']): Named[] => names.filter((one) => one.kind === kind);
    const tokens = apps.map((app) => tokensOf(app, adminId, {}, this.halvesOf(copied.grants.get(app.id), of('user'))));
    await this.setup.issueTokens(
      tx,
      workspaceId,
      tokens.flatMap(({ stored }) => stored),
    );
    const admin = of('user').find(({ id }) => id === adminId);
    const key =
      organizationId !== null && admin?.trackerId ? await this.copying.keyFor(tx, organizationId, admin.trackerId) : '';
    const users = of('user').filter(({ id }) => id !== adminId);
    const first = apps[0] as KnownApp;
    const firstTokens = (tokens[0] as (typeof tokens)[number]).plaintext;
    return {
      control_token: made.controlToken,
      bot_token: firstTokens.bot as string,
      user_token: firstTokens.user,
      app_token: firstTokens.appLevel,
      signing_secret: first.signingSecret,
      verification_token: first.verificationToken,
      client_id: first.clientId,
      client_secret: first.clientSecret ?? null,
      api_key: key,
      admin: { user_id: adminId, email: copied.adminEmail, password: made.password },
      users: await this.people.openSessionsOf(
        tx,
        { workspaceId, organizationId },
        new Map(
          users.map(({ name, id, trackerId }) => [
            name,
            { id, trackerId, isBot: false, wasThere: false } satisfies KnownUser,
          ]),
        ),
        ACCESS_TOKEN_SECONDS,
      ),
      channels: Object.fromEntries(of('channel').map(({ name, id }) => [name, id])),
      apps: Object.fromEntries(
        apps.flatMap((app, i) =>
          app.isDefault ? [] : [[app.name, toSeededApp(app, (tokens[i] as (typeof tokens)[number]).plaintext)]],
        ),
      ),
      teams: Object.fromEntries(of('team').map(({ name, id }) => [name, { id }])),
      tracker_apps: organizationId === null ? {} : await this.applicationsOf(tx, organizationId, copied),
      refs: await this.refsOf(tx, tenantId),
    };
  }

  /** The people who consented, with new tokens of the kind that they had. */
  private halvesOf(grant: Grant | undefined, people: readonly Named[]): Halves | undefined {
    if (!grant) return undefined;
    const granted = people.filter(({ id }) => grant.people.has(id));
    const idOf = (name: string): string => granted.find((one) => one.name === name)?.id as string;
    return {
      users: granted.length > 0 ? granted.map(({ name }) => name) : undefined,
      forOwner: grant.hasOwnToken,
      scopesOf: (name) => grant.people.get(idOf(name)) as readonly string[],
      personId: idOf,
      isRotating: grant.isRotating,
      now: this.clock.nowMicros(),
    };
  }

  /** With new tokens of what was authorized last. */
  private async applicationsOf(
    tx: Tx,
    organizationId: string,
    { clientSecrets }: CopiedTenant,
  ): Promise<Seeded['tracker_apps']> {
    const shown: Record<string, SeededApplication> = {};
    const order = { createdAt: 'ASC', id: 'ASC' } as const;
    for (const application of await tx.sql.find(OauthApplication, { where: { organizationId }, order })) {
      const { id, webhookSecret } = application;
      const [newest] = await tx.sql.find(OauthAuthorization, {
        where: { applicationId: id, organizationId, endedAt: IsNull() },
        order: { updatedAt: 'DESC', id: 'ASC' },
        take: 1,
      });
      shown[application.name] = {
        ...shownApplication({ ...application, clientSecret: clientSecrets.get(id) ?? '' }),
        webhook_secret: webhookSecret === null ? null : this.db.secrets.open(webhookSecret),
        ...(newest && (await this.applications.open(tx, application, ofCopy(newest)))),
      };
    }
    return shown;
  }

  private async refsOf(tx: Tx, tenantId: number): Promise<Seeded['refs']> {
    const rows = await tx.query<{ ref: string; thing: { id?: string }; url: string | null; secret: string | null }>(
      REFS_OF_COPY,
      [tenantId],
    );
    return Object.fromEntries(
      rows.map(({ ref, thing, url, secret }) => [
        ref,
        {
          ...thing,
          ...(thing.id?.startsWith('B') ? { url: this.hooks.urlOf(thing.id) } : {}),
          ...(url === null ? {} : { url, secret }),
        },
      ]),
    );
  }
}

const ofCopy = ({ organizationId, userId, grantedById, actor, scopes }: OauthAuthorization) => ({
  organizationId,
  userId: actor === 'app' ? grantedById : userId,
  actor,
  scopes,
  isSeed: true,
});

/** @throws BadRequestException: calls repeat themselves in frozen time alone */
export function requireFrozen(isDeterministic: boolean, { frozenAt }: StoredClock): void {
  if (isDeterministic && frozenAt === null) throw new BadRequestException(['deterministic: needs a frozen clock']);
}

const mayAsOperator = ({ admin }: SandboxCaller, { owner }: Snapshot): boolean =>
  admin !== null && (admin.name === null || admin.name === owner);

const mayCopy = (caller: SandboxCaller, snapshot: Snapshot): boolean =>
  caller.tenantId === snapshot.tenantId || mayAsOperator(caller, snapshot);

/** A lifetime in seconds, at most the longest allowed; null: unlimited. */
const capped = (seconds: number | null, most: number): number | null =>
  most === 0 ? seconds : Math.min(seconds ?? most, most);

const timeOf = ({ offset, frozenAt }: Snapshot['clock']): SandboxTime | null =>
  offset === 0 && frozenAt === null ? null : { offsetMicros: offset, frozenAt };
