import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { Admin } from '../../tenants/admins.js';
import { PoolCopies } from '../../tenants/copies/pool-copies.js';
import { Pool } from '../../tenants/copies/pool.entity.js';
import { requireFrozen } from '../../tenants/copies/sandbox-copies.js';
import type { SandboxCaller } from '../../tenants/sandbox-callers.js';
import { NewSandboxes, type NewSandbox } from '../../tenants/seeds/new-sandbox.js';
import { nextCursorOf, readPage } from '../access/page-query.js';
import { PoolFilling } from './pool-filling.js';
import type { PoolBody, PoolChangesBody } from './pools.dto.js';
import {
  CHANGE_POOL,
  COUNT_POOLS,
  HOLD_POOLS,
  INSERT_POOL,
  PAGE_OF_POOLS,
  POOL,
  POOL_TO_CLAIM,
  RELEASE_POOL,
  TRIM_POOL,
  type PoolRow,
  type StoredPool,
} from './pools.queries.js';

const MAX_POOLS = 20;

/** What a claim says about its sandbox; `ttlSeconds` absent: the pool's. */
export interface Claim {
  readonly name: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly ttlSeconds?: number | null | undefined;
}

/** Pools of sandboxes that are made in advance (docs/reference/sandboxes.md#pools). */
@Injectable()
export class Pools {
  constructor(
    private readonly db: Db,
    private readonly copies: PoolCopies,
    private readonly sandboxes: NewSandboxes,
    private readonly filling: PoolFilling,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /** @throws RestError 404 snapshot_not_found, 409 name_taken, too_many_pools, too_many_sandboxes */
  async make(caller: SandboxCaller, body: PoolBody): Promise<object> {
    const { name, from, size, refill, urls, id_space: idSpace, deterministic } = body;
    const owner = (caller.admin as Admin).name;
    const byDefault = this.settings.sandboxTtlSeconds === 0 ? null : this.settings.sandboxTtlSeconds;
    const { ttl_seconds: ttlSeconds = byDefault } = body;
    // beforehand as well, so that nothing is copied in vain
    await this.db.write((tx) => this.requireRoom(tx, null, size));
    const { id } = await this.copies.found(caller, from, idSpace === 'own', async (tx, { clock }) => {
      // beside its own copy, which does not count for long
      await this.requireRoom(tx, null, size - 1);
      requireFrozen(deterministic, clock);
      const whose = [urls ?? 'server', idSpace, deterministic];
      const values = [name, owner, from, JSON.stringify(clock), size, refill, ttlSeconds, ...whose];
      const [made] = await tx.query<{ id: string }>(INSERT_POOL, values);
      if (!made) throw new RestError(409, 'name_taken');
      return made;
    });
    this.filling.soon(id);
    return this.get(caller.admin as Admin, id);
  }

  /** @throws BadRequestException */
  async list(admin: Admin, query: Readonly<Record<string, unknown>>): Promise<object> {
    const faults: string[] = [];
    const { limit, cursor } = readPage(query, /^Po0[0-9A-Z]{9}$/, faults);
    if (faults.length > 0) throw new BadRequestException(faults);
    const rows = await this.db.read<PoolRow>(PAGE_OF_POOLS, [admin.name, cursor, limit + 1]);
    return { pools: rows.slice(0, limit).map(show), next_cursor: nextCursorOf(rows[limit]) };
  }

  /** @throws RestError 404 pool_not_found */
  async get(admin: Admin, idOrName: string): Promise<object> {
    return show(await this.find(admin, idOrName));
  }

  /** @throws RestError 404 pool_not_found, 409 too_many_sandboxes */
  async change(admin: Admin, idOrName: string, { size, refill }: PoolChangesBody): Promise<object> {
    const pool = await this.find(admin, idOrName);
    await this.db.write(async (tx) => {
      if (size !== undefined && size > pool.size) await this.requireRoom(tx, pool.id, size - pool.ready);
      const [changed] = await tx.query<{ size: number }>(CHANGE_POOL, [pool.id, size ?? null, refill ?? null]);
      if (!changed) throw new RestError(404, 'pool_not_found');
      await tx.query(TRIM_POOL, [pool.id, changed.size]);
    });
    this.filling.soon(pool.id);
    return this.get(admin, pool.id);
  }

  /** @throws RestError 404 pool_not_found */
  async remove(admin: Admin, idOrName: string): Promise<void> {
    const { id } = await this.find(admin, idOrName);
    await this.db.write(async (tx) => {
      await tx.query(RELEASE_POOL, [id]);
      await tx.sql.delete(Pool, { id });
    });
  }

  /**
   * A sandbox of a pool: one that is ready, else a new one.
   * @throws RestError 404 pool_not_found, 409 too_many_sandboxes
   */
  async claim(
    admin: Admin,
    idOrName: string,
    { name, labels, ttlSeconds }: Claim,
  ): Promise<NewSandbox & { readonly isPooled: boolean }> {
    const [pool] = await this.db.read<StoredPool>(POOL_TO_CLAIM, [idOrName, admin.name]);
    if (!pool) throw new RestError(404, 'pool_not_found');
    const options = {
      name,
      labels,
      owner: admin.name ?? pool.owner,
      ttlSeconds: ttlSeconds === undefined ? pool.ttlSeconds : ttlSeconds,
      journal: null,
      methods: null,
      rateLimitMultiplier: null,
      missingScopeStatus: null,
      urls: pool.urls,
    };
    const claimed = await this.copies.claim(pool, options, this.settings.sandboxLimit);
    if (pool.refill) this.filling.soon(pool.id);
    return claimed;
  }

  private async find(admin: Admin, idOrName: string): Promise<PoolRow> {
    const [pool] = await this.db.read<PoolRow>(POOL, [idOrName, admin.name]);
    if (!pool) throw new RestError(404, 'pool_not_found');
    return pool;
  }

  /** Room for one more pool (null), or for a larger one, and for its sandboxes beside what is still to be made. */
  private async requireRoom(tx: Tx, poolId: string | null, sandboxes: number): Promise<void> {
    await tx.query(HOLD_POOLS);
    const [counted] = await tx.query<{ pools: number; missing: number }>(COUNT_POOLS, [poolId]);
    const { pools, missing } = counted as { pools: number; missing: number };
    if (poolId === null && pools >= MAX_POOLS) throw new RestError(409, 'too_many_pools');
    await this.sandboxes.requireRoomFor(tx, this.settings.sandboxLimit, missing + sandboxes);
  }
}

const show = (pool: PoolRow): object => ({
  id: pool.id,
  name: pool.name,
  from: pool.snapshot,
  size: pool.size,
  ready: pool.ready,
  making: pool.making,
  claimed: pool.claimed,
  id_space: pool.idSpace,
  refill: pool.refill,
  created: Math.floor(pool.createdAt.getTime() / 1000),
  error: pool.error,
});
