import { BadRequestException, Injectable } from '@nestjs/common';
import { Passwords } from '../../auth/passwords.js';
import { Clock } from '../../kernel/clock/clock.js';
import { enterDraw, withIds, type SandboxTime } from '../../kernel/clock/request-sandbox.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import type { IdSpace } from '../../kernel/ids/id-space.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import { TenantRemoval } from '../removal/tenant-removal.js';
import { withFreedNames } from '../seeds/freed-names.js';
import { RESTART_SCRIPT } from '../scripts/script-store.queries.js';
import type { SandboxCaller } from '../sandbox-callers.js';
import {
  describe,
  madeUpDomain,
  newControlToken,
  nextIds,
  type NewSandbox,
  type SandboxOptions,
} from '../seeds/new-sandbox.js';
import { COUNT_COPIES, HOLD_SNAPSHOT, LOCK_ROOT, SET_COPIED_FROM } from './copies.queries.js';
import { CopyCredentials } from './copy-credentials.js';
import { Copying, type CopiedTenant, type CopySource } from './copying.js';

/** The most copies that a sandbox's control token may have at once. */
const MAX_COPIES = 100;

/** What a copy has in place of what is not copied is derived from these numbers: no call has them. */
export const COPYING = -1;
const OPENING = -2;

/** The clock of a snapshot, with the number of the organization's last change; snapshots of old have less. */
export interface StoredClock {
  readonly offset: number;
  readonly frozenAt: number | null;
  readonly signWith: 'wall' | 'sandbox';
  readonly tickMs?: number;
  /** The number of the last call that may have made ids. */
  readonly draws: number;
  readonly syncId?: number | null;
}

export interface Snapshot extends CopySource, Record<string, unknown> {
  readonly randomSeed: number;
  readonly owner: string | null;
  /** The first sandbox of a chain of copies. */
  readonly root: number;
  readonly clock: StoredClock;
}

/** Makes new sandboxes from a snapshot, under new ids and with new credentials. */
@Injectable()
export class SandboxCopies {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly copying: Copying,
    private readonly credentials: CopyCredentials,
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
        return withIds(ids, () => this.db.write((tx) => copy(tx, ids), { keepsPlans: true }));
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
    const { credentials, hasScript } = await this.clock.within(time, () => this.credentials.open(tx, copied, made));
    if (hasScript) {
      const now = this.clock.within(time, () => Math.round(this.clock.nowMicros()));
      const runs = time === null || time.frozenAt === null;
      const script = [copied.tenantId, now, this.clock.wallOffsetMicros, runs, this.clock.wallMs()];
      await tx.query(RESTART_SCRIPT, script);
    }
    // a reset keeps the new credentials, as they are part of its baseline
    const described = { ...options, time, tickMs: clock.tickMs ?? 0 };
    await describe(tx, copied.tenantId, described, {
      ...made,
      copiedRows: copied.rows,
      draws: made.ids ? clock.draws : 0,
    });
    return { credentials, hasScript };
  }

  private async requireRoom(tx: Tx, root: number): Promise<void> {
    await tx.query(LOCK_ROOT, [root % 2 ** 31]);
    const [row] = await tx.query<{ count: number }>(COUNT_COPIES, [root]);
    if ((row?.count ?? 0) >= MAX_COPIES) throw new RestError(409, 'too_many_sandboxes');
  }
}

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
