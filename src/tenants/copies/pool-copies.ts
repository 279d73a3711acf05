import { Injectable } from '@nestjs/common';
import { Passwords } from '../../auth/passwords.js';
import { enterDraw, withIds } from '../../kernel/clock/request-sandbox.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { StoreInfo } from '../../kernel/database/store-info.js';
import type { Pause } from '../../kernel/database/tx.js';
import { CallsUnderWay } from '../../kernel/http/calls-under-way.js';
import { RestError } from '../../kernel/http/http-error.js';
import { idSpaceOf, type IdSpace } from '../../kernel/ids/id-space.js';
import { newHex, sha256Hex } from '../../kernel/ids/ids.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import { TenantRemoval } from '../removal/tenant-removal.js';
import type { SandboxCaller } from '../sandbox-callers.js';
import { withFreedNames } from '../seeds/freed-names.js';
import {
  madeUpDomain,
  newControlToken,
  nextIds,
  NewSandboxes,
  type NewSandbox,
  type SandboxOptions,
} from '../seeds/new-sandbox.js';
import { Copying, grantsOf, grantsToJson, type CopiedTenant, type CopySource } from './copying.js';
import { CLAIM_MADE, CLAIM_READY, COUNT_MADE, KEEP_COPY, TEMPLATE, TRY_FILLING_LOCK } from './pool-copies.queries.js';
import { COPYING, SandboxCopies, type Snapshot } from './sandbox-copies.js';

/** How long the making of one sandbox gives way to calls, altogether, in milliseconds. */
const GIVES_WAY_MS = 250;

/** What a pool says about its sandboxes. */
export interface PoolOfCopies {
  readonly id: string;
  /** `own`: its sandboxes have the ids of the snapshot, each for itself. */
  readonly idSpace: 'server' | 'own';
  readonly clock: Snapshot['clock'];
  readonly deterministic: boolean;
}

type Template = CopySource & { readonly randomSeed: number };

interface Ready extends Record<string, unknown> {
  readonly tenantId: number;
  readonly rows: number;
  readonly idKey: number | null;
  readonly randomSeed: number;
  readonly grants: string;
  readonly workspaceId: string;
  readonly organizationId: string | null;
  readonly adminId: string;
  readonly adminEmail: string;
  /** Apps and applications of OAuth. */
  readonly withSecrets: readonly string[];
}

/** A claimed sandbox. */
interface Claimed extends NewSandbox {
  /** Whether it was ready. */
  readonly isPooled: boolean;
}

/**
 * The sandboxes of pools: copies that have no credentials, a clock that stands and no place in any list until they are
 * claimed. Each is made, and claimed, in one transaction: a process that is killed leaves none half made.
 */
@Injectable()
export class PoolCopies {
  constructor(
    private readonly db: Db,
    private readonly store: StoreInfo,
    private readonly passwords: Passwords,
    private readonly copying: Copying,
    private readonly copies: SandboxCopies,
    private readonly sandboxes: NewSandboxes,
    private readonly turns: FillingTurns,
    private readonly calls: CallsUnderWay,
    private readonly removal: TenantRemoval,
  ) {}

  /**
   * The pool's own copy of a snapshot, which stays when the snapshot and its sandbox are gone.
   * @param hasOwnIds whether the pool's sandboxes have the ids of the snapshot, each for itself
   * @param insert stores the pool, when the copy is there: it counts as one more sandbox until then
   * @throws RestError 404 snapshot_not_found
   */
  found<T extends { readonly id: string }>(
    caller: SandboxCaller,
    snapshotId: string,
    hasOwnIds: boolean,
    insert: (tx: Tx, snapshot: Snapshot) => Promise<T>,
  ): Promise<T> {
    return this.turns.fill(() =>
      this.inIds(hasOwnIds, async (tx, ids) => {
        const snapshot = await this.copies.snapshotFor(tx, caller, snapshotId);
        const copied = await this.copy(tx, snapshot, ids, null);
        // last, as others wait from then on
        const pool = await insert(tx, snapshot);
        await this.keep(tx, copied, { poolId: pool.id, role: 'template', ids, randomSeed: snapshot.randomSeed });
        return pool;
      }),
    );
  }

  /**
   * Makes one more sandbox for a pool, if no other process is at it.
   * @param limit the most sandboxes then; 0: any number
   * @throws RestError 409 too_many_sandboxes
   */
  async add({ id: poolId, idSpace }: Pick<PoolOfCopies, 'id' | 'idSpace'>, limit: number): Promise<boolean> {
    await this.sandboxes.requireRoom(limit);
    const add = async (tx: Tx, ids: IdSpace | null): Promise<boolean> => {
      const [lock] = await tx.query<{ mine: boolean }>(TRY_FILLING_LOCK);
      const template = lock?.mine && (await this.template(tx, poolId));
      if (!template) return false;
      const copied = await this.copy(tx, template, ids, null);
      await this.sandboxes.requireRoomFor(tx, limit);
      // a pool that was deleted or made smaller meanwhile takes no more
      const isKept = await this.keep(tx, copied, { poolId, role: 'ready', ids, randomSeed: template.randomSeed });
      if (!isKept) throw new NotWanted();
      await tx.query(COUNT_MADE, [poolId]);
      return true;
    };
    return this.inIds(idSpace === 'own', add, this.givingWay()).catch((error: unknown) => {
      if (error instanceof NotWanted) return false;
      throw error;
    });
  }

  /**
   * Hands out a sandbox that is ready, or makes one.
   * @param limit the most sandboxes then, where one is made; 0: any number
   * @throws RestError 404 pool_not_found, 409 too_many_sandboxes
   */
  async claim(
    pool: PoolOfCopies,
    options: Omit<SandboxOptions, 'time' | 'tickMs' | 'hasOwnIds' | 'isDeterministic' | 'randomSeed'>,
    limit: number,
  ): Promise<Claimed> {
    const hasOwnIds = pool.idSpace === 'own';
    // nobody signs in where ids are its own
    const { password, stored } = hasOwnIds ? { password: null, stored: null } : this.passwords.makeUp();
    const made = { controlToken: newControlToken(), password };
    const complete = (tx: Tx, copied: CopiedTenant, randomSeed: number, more: { limit: number; ids: IdSpace | null }) =>
      this.copies.complete(
        tx,
        copied,
        pool.clock,
        { ...options, hasOwnIds, randomSeed, isDeterministic: pool.deterministic },
        { ...made, ...more },
      );
    const ready = await this.db.write(
      async (tx) => {
        const [row] = await tx.query<Ready>(CLAIM_READY, [pool.id, pool.clock.signWith]);
        if (!row) return undefined;
        const ids = idSpaceOf(row.idKey);
        return withIds(ids, async () => {
          const completed = await complete(tx, withSecrets(row, stored), row.randomSeed, { limit: 0, ids });
          return { tenantId: row.tenantId, ids, ...completed, isPooled: true };
        });
      },
      { keepsPlans: true },
    );
    if (ready) return ready;
    await this.sandboxes.requireRoom(limit);
    return this.turns.fill(() =>
      this.inIds(hasOwnIds, async (tx, ids) => {
        const template = await this.template(tx, pool.id);
        if (!template) throw new RestError(404, 'pool_not_found');
        const copied = await this.copy(tx, template, ids, stored);
        const values = [copied.tenantId, pool.id, pool.clock.signWith];
        const [row] = await tx.query<{ id: string | null }>(CLAIM_MADE, values);
        if (!row?.id) throw new RestError(404, 'pool_not_found');
        const completed = await complete(tx, copied, template.randomSeed, { limit, ids });
        return { tenantId: copied.tenantId, ids, ...completed, isPooled: false };
      }),
    );
  }

  /** Runs a transaction for a new sandbox, which has ids of its own or the server's. */
  private inIds<T>(hasOwnIds: boolean, work: (tx: Tx, ids: IdSpace | null) => Promise<T>, pause?: Pause): Promise<T> {
    return withFreedNames(this.removal, async () => {
      const ids = hasOwnIds ? await nextIds(this.db) : null;
      return withIds(ids, () => this.db.write((tx) => work(tx, ids), { keepsPlans: true, ...(pause && { pause }) }));
    });
  }

  private copy(
    tx: Tx,
    source: CopySource & { readonly randomSeed: number },
    ids: IdSpace | null,
    passwordHash: string | null,
  ): Promise<CopiedTenant> {
    if (ids) enterDraw(source.randomSeed, COPYING);
    return this.copying.copy(tx, source, ids ? { ids } : { domain: madeUpDomain() }, passwordHash);
  }

  private async template(tx: Tx, poolId: string): Promise<Template | undefined> {
    const [template] = await tx.query<Template & Record<string, unknown>>(TEMPLATE, [poolId]);
    return template;
  }

  private async keep(
    tx: Tx,
    { tenantId, grants, rows }: CopiedTenant,
    {
      poolId,
      role,
      ids,
      randomSeed,
    }: { poolId: string; role: 'template' | 'ready'; ids: IdSpace | null; randomSeed: number },
  ): Promise<boolean> {
    const values = [tenantId, poolId, role, grantsToJson(grants), ids?.key ?? null, randomSeed, rows];
    return (await tx.query(KEEP_COPY, values)).length > 0;
  }

  /** Before each statement running calls end first, for a moment; where there is one session they wait for this one. */
  private givingWay(): () => Promise<void> | undefined {
    let leftMs = this.store.isConcurrent ? GIVES_WAY_MS : 0;
    return () => {
      const none = leftMs > 0 ? this.calls.none(leftMs) : undefined;
      if (!none) return undefined;
      const began = performance.now();
      return none.then(() => {
        leftMs -= performance.now() - began;
      });
    };
  }
}

class NotWanted extends Error {}

/** Client secrets and the admin's password, of which nothing was kept when it was made. */
function withSecrets({ grants, withSecrets: ids, ...ready }: Ready, passwordHash: string | null): CopiedTenant {
  const clientSecrets = new Map(ids.map((id) => [id, newHex(id.startsWith('A') ? 32 : 64)]));
  const secrets = [...clientSecrets].map(([id, secret]) => ({ id, hash: sha256Hex(secret) }));
  return { ...ready, clientSecrets, grants: grantsOf(grants), unstored: { secrets, passwordHash } };
}
