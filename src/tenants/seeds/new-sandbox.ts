import { Injectable } from '@nestjs/common';
import { Passwords } from '../../auth/passwords.js';
import { Clock } from '../../kernel/clock/clock.js';
import { enterDraw, withIds, type SandboxTime } from '../../kernel/clock/request-sandbox.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { eachText, idSpaceOf, type IdSpace } from '../../kernel/ids/id-space.js';
import { newAlphanumeric, newDigits, sha256Hex } from '../../kernel/ids/ids.js';
import { setBaseline } from '../../kernel/sandbox/baseline.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import { TenantRemoval } from '../removal/tenant-removal.js';
import { withFreedNames } from './freed-names.js';
import type { Seeded } from './known-objects.js';
import { COUNT, DESCRIBE, NEXT_ID_KEY, WORKSPACE_OF_SANDBOX, TAKE_TURN } from './new-sandbox.queries.js';
import { SeededTenants, type MadeTenant, type TenantOptions } from './seeded-tenants.js';
import { isEmptySeed, rowsOf, type Seed } from './seed-types.js';
import { Seeding } from './seeding.js';
import { Verifying } from './verifying.js';

/** The settings of a new sandbox, already validated. */
export interface SandboxOptions {
  readonly name: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: string | null;
  readonly ttlSeconds: number | null;
  readonly journal: boolean | null;
  readonly methods: 'core' | 'all' | null;
  readonly rateLimitMultiplier: number | null;
  readonly missingScopeStatus: number | null;
  /** Null: the server's forms. */
  readonly urls: 'server' | 'vendor' | null;
  /** Whether its ids mean something in it alone. */
  readonly hasOwnIds: boolean;
  /** What new ids are derived from then. */
  readonly randomSeed: number;
  /** Whether the same calls have the same answers. */
  readonly isDeterministic: boolean;
  readonly time: SandboxTime | null;
  /** How far its frozen clock goes on after each answered call, in milliseconds. */
  readonly tickMs: number;
}

/** All credentials of a new sandbox, in plain text. Never log it. */
export interface SandboxCredentials extends Seeded {
  readonly control_token: string;
  readonly bot_token: string;
  readonly user_token: string | null;
  readonly app_token: string | null;
  readonly app_id: string;
  readonly bot_user_id: string;
  readonly bot_id: string;
  readonly signing_secret: string;
  readonly verification_token: string;
  /** Of the first app, as those above. */
  readonly client_id: string | null;
  readonly client_secret: string | null;
  readonly api_key: string;
  /** The password is null where nobody signs in. */
  readonly admin: { readonly user_id: string; readonly email: string; readonly password: string | null };
}

/** What was made, and its ids where they are its own. */
export interface NewSandbox {
  readonly tenantId: number;
  readonly ids: IdSpace | null;
  readonly credentials: SandboxCredentials;
  /** Whether people in it act by a script. */
  readonly hasScript: boolean;
}

export const newControlToken = (): string => `svc_sbx_${newAlphanumeric(40)}`;

/** Ids that no other sandbox has. */
export async function nextIds(db: Db): Promise<IdSpace | null> {
  const [row] = await db.run<{ key: number }>(NEXT_ID_KEY);
  return idSpaceOf(row?.key ?? null);
}

/** The domain of a sandbox without a given one. @param seed what ids are derived from, where they are its own */
export const madeUpDomain = (seed: number | null = null): string =>
  `sandbox-${
    seed === null
      ? newDigits(10)
      : Math.abs(seed % 1e10)
          .toString()
          .padStart(10, '0')
  }`;

/** Makes sandboxes from documents, and fills existing ones. */
@Injectable()
export class NewSandboxes {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly tenants: SeededTenants,
    private readonly seeding: Seeding,
    private readonly removal: TenantRemoval,
    private readonly turns: FillingTurns,
    private readonly verifying: Verifying,
  ) {}

  /**
   * Checked beforehand, so that nothing large is made in vain.
   * @param more how many are to be made
   * @throws RestError 409 too_many_sandboxes
   */
  async requireRoom(limit: number, more = 1): Promise<void> {
    if (limit === 0) return;
    const [row] = await this.db.read<{ count: number }>(COUNT);
    if ((row?.count ?? 0) + more > limit) throw new RestError(409, 'too_many_sandboxes');
  }

  /**
   * The same in a transaction, with what it has made already counted: from here to its end nobody else counts.
   * @throws RestError 409 too_many_sandboxes
   */
  async requireRoomFor(tx: Tx, limit: number, more = 0): Promise<void> {
    if (limit === 0) return;
    await tx.query(TAKE_TURN);
    const [row] = await tx.query<{ count: number }>(COUNT);
    if ((row?.count ?? 0) + more > limit) throw new RestError(409, 'too_many_sandboxes');
  }

  /**
   * @param limit the most sandboxes then; 0: any number
   * @throws BadRequestException; RestError 409 too_many_sandboxes, domain_taken, email_taken … Nothing is made then
   */
  async create(options: SandboxOptions, team: TenantOptions['team'], seed: Seed, limit: number): Promise<NewSandbox> {
    const { password, stored: passwordHash } = this.passwords.makeUp();
    const controlToken = newControlToken();
    const admin = { name: 'Admin', passwordHash };
    const withDomain = { ...team, domain: team.domain ?? madeUpDomain(options.hasOwnIds ? options.randomSeed : null) };
    if (!isEmptySeed(seed)) await this.requireRoom(limit);
    const made = await this.clock.within(options.time, () =>
      this.turns.make(rowsOf(seed), () =>
        withFreedNames(this.removal, async () => {
          // others each time: of two that have an id in common, which is as good as impossible, the second tries again
          const ids = options.hasOwnIds ? await nextIds(this.db) : null;
          const inside = ids ? (text: string) => ids.inside(text) : undefined;
          const content = inside ? eachText(seed, inside) : seed;
          const wanted = { team: inside ? eachText(withDomain, inside) : withDomain, admin };
          const make = async (tx: Tx) => {
            const tenant = await this.tenants.make(tx, wanted, content);
            await describe(tx, tenant.tenantId, options, { controlToken, limit, ids });
            return { ...tenant, ids, content };
          };
          return withIds(ids, () => {
            if (ids) enterDraw(options.randomSeed, 0);
            return this.db.write(make, { pause: this.turns.givingWay() });
          });
        }),
      ),
    );
    const { ids, content } = made;
    await withIds(ids, () => this.verifying.ask(made.workspace.id, content, made.seeded));
    const credentials = credentialsOf(made, { controlToken, password: ids ? null : password });
    return { tenantId: made.tenantId, ids, credentials, hasScript: seed.script.length > 0 };
  }

  /**
   * Adds a document's content to a sandbox.
   * @param record runs in the same transaction
   */
  async add(
    tenantId: number,
    time: SandboxTime | null,
    seed: Seed,
    options: { baseline: boolean; record: (tx: Tx) => Promise<void> },
  ): Promise<Seeded> {
    const { workspaceId, seeded } = await this.clock.within(time, () =>
      this.turns.fill(() =>
        withFreedNames(this.removal, () =>
          this.db.writeAlone(tenantId, async (tx) => {
            const [context] = await tx.query<{
              workspaceId: string;
              domain: string;
              organizationId: string;
              adminId: string;
            }>(WORKSPACE_OF_SANDBOX, [tenantId]);
            if (!context) throw new RestError(404, 'organization_not_found');
            const filled = await this.seeding.fill(tx, { ...context, tenantId, isNew: false }, seed);
            if (options.baseline) await setBaseline(tx, tenantId);
            await options.record(tx);
            return { workspaceId: context.workspaceId, seeded: filled };
          }),
        ),
      ),
    );
    await this.verifying.ask(workspaceId, seed, seeded);
    return seeded;
  }
}

/**
 * Stores the settings of a sandbox whose tenant was just made, as the last step of its transaction: its current content
 * becomes the baseline, at the clock set here.
 * @throws RestError 409 too_many_sandboxes
 */
export async function describe(
  tx: Tx,
  tenantId: number,
  options: SandboxOptions,
  {
    controlToken,
    limit,
    ids,
    copiedRows = null,
    draws = 0,
  }: { controlToken: string; limit: number; ids: IdSpace | null; copiedRows?: number | null; draws?: number },
): Promise<void> {
  // of two concurrent ones the second counts what the first made
  if (limit > 0) await tx.query(TAKE_TURN);
  const inside = (text: string): string => ids?.inside(text) ?? text;
  const described = await tx.query(DESCRIBE, [
    tenantId,
    options.name && inside(options.name),
    inside(JSON.stringify(options.labels)),
    options.owner,
    options.ttlSeconds,
    options.journal,
    options.methods,
    options.rateLimitMultiplier,
    options.missingScopeStatus,
    sha256Hex(controlToken),
    options.time?.offsetMicros ?? 0,
    options.time?.frozenAt ?? null,
    limit,
    options.urls,
    ids?.key ?? null,
    options.randomSeed,
    options.isDeterministic,
    options.tickMs,
    copiedRows,
    draws,
  ]);
  if (described.length === 0) throw new RestError(409, 'too_many_sandboxes');
}

const credentialsOf = (
  { tokens, app, apiKey, admin, seeded }: MadeTenant,
  { controlToken, password }: { controlToken: string; password: string | null },
): SandboxCredentials => ({
  control_token: controlToken,
  bot_token: tokens.bot as string,
  user_token: tokens.user,
  app_token: tokens.appLevel,
  app_id: app.id,
  bot_user_id: app.botUserId,
  bot_id: app.botId,
  signing_secret: app.signingSecret,
  verification_token: app.verificationToken,
  client_id: seeded.apps[app.name]?.client_id ?? app.clientId,
  client_secret: seeded.apps[app.name]?.client_secret ?? app.clientSecret ?? null,
  api_key: apiKey,
  admin: { user_id: admin.id, email: admin.email, password },
  ...seeded,
});
