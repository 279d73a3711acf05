import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { SandboxReader } from '../../kernel/sandbox/sandbox-flags.js';
import { SandboxResets } from '../../kernel/sandbox/sandbox-resets.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import type { SandboxRow } from '../access/sandbox-row.queries.js';
import { SandboxJournal } from '../ports.js';
import { ImageThinning } from './image-thinning.js';
import {
  SNAPSHOTS_OF_TENANT,
  SIZE_OF_SANDBOX,
  NEXT_EPOCH,
  INSERT_SNAPSHOT,
  DELETE_SNAPSHOT,
  BASELINE_OF_SANDBOX,
  RESET_SANDBOX,
  type ResetRow,
} from './snapshots.queries.js';

const MAX_SNAPSHOTS = 50;

interface Snapshot extends Record<string, unknown> {
  id: string;
  name: string;
  epoch: number;
  rows: number | null;
  bytes: number;
  createdAt: Date;
  clock: object;
}

const show = ({ id, name, createdAt, rows, bytes }: Snapshot): object => ({
  id,
  name,
  created: Math.floor(createdAt.getTime() / 1000),
  rows: Number(rows),
  bytes: Number(bytes),
});

/** Snapshots of a sandbox's state, and resets to them (docs/reference/sandboxes.md#snapshots). */
@Injectable()
export class Snapshots {
  constructor(
    private readonly db: Db,
    private readonly journal: SandboxJournal,
    private readonly turns: FillingTurns,
    private readonly images: ImageThinning,
    private readonly resets: SandboxResets,
    private readonly reader: SandboxReader,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  async list({ tenantId }: SandboxRow): Promise<object[]> {
    return (await this.db.read<Snapshot>(SNAPSHOTS_OF_TENANT, [tenantId])).map(show);
  }

  /**
   * @param sent its name; without one it gets the next free one
   * @throws RestError 409 too_many_snapshots, sandbox_too_large, 404 sandbox_not_found when it was deleted meanwhile
   */
  async take({ tenantId }: SandboxRow, sent: string | undefined): Promise<object> {
    const { shown, replaces } = await this.db.writeAlone(tenantId, async (tx) => {
      const there = await tx.query<Snapshot>(SNAPSHOTS_OF_TENANT, [tenantId]);
      const name = sent ?? freeName(there.map((snapshot) => snapshot.name));
      const replaced = there.find((snapshot) => snapshot.name === name);
      if (!replaced && there.length >= MAX_SNAPSHOTS) throw new RestError(409, 'too_many_snapshots');
      const [size] = await tx.query<{ rows: number; bytes: number }>(SIZE_OF_SANDBOX, [tenantId]);
      const { rows, bytes } = size as { rows: number; bytes: number };
      if (Number(rows) > this.settings.snapshotMaxRows) throw new RestError(409, 'sandbox_too_large');
      if (replaced) await tx.query(DELETE_SNAPSHOT, [tenantId, replaced.id]);
      const [next] = await tx.query<{ epoch: number }>(NEXT_EPOCH, [tenantId]);
      if (!next) throw new RestError(404, 'sandbox_not_found');
      const [made] = await tx.query<Snapshot>(INSERT_SNAPSHOT, [tenantId, name, next.epoch, rows, bytes]);
      await this.journal.record(tx, tenantId, 'snapshot', { snapshot: (made as Snapshot).id, name });
      return { shown: show(made as Snapshot), replaces: replaced !== undefined };
    });
    if (replaces) await this.images.thin(tenantId);
    return shown;
  }

  /** @throws RestError 409 cant_delete_baseline, 404 snapshot_not_found */
  async remove({ tenantId }: SandboxRow, idOrName: string): Promise<void> {
    if (idOrName === 'baseline') throw new RestError(409, 'cant_delete_baseline');
    await this.db.writeAlone(tenantId, async (tx) => {
      const gone = await tx.query(DELETE_SNAPSHOT, [tenantId, idOrName]);
      if (gone.length === 0) throw new RestError(404, 'snapshot_not_found');
    });
    await this.images.thin(tenantId);
  }

  /** The epoch a state began with: of `baseline`, or of a snapshot by id or name. @throws RestError 404 snapshot_not_found */
  async epochOf(tenantId: number, idOrName: string): Promise<number> {
    return (await this.find((s, values) => this.db.read<Snapshot>(s, values), tenantId, idOrName)).epoch;
  }

  private async find(
    read: (s: typeof SNAPSHOTS_OF_TENANT, values: unknown[]) => Promise<Snapshot[]>,
    tenantId: number,
    idOrName: string,
  ): Promise<Snapshot> {
    const found =
      idOrName === 'baseline'
        ? (await read(BASELINE_OF_SANDBOX, [tenantId]))[0]
        : (await read(SNAPSHOTS_OF_TENANT, [tenantId])).find(({ id, name }) => id === idOrName || name === idOrName);
    if (!found) throw new RestError(404, 'snapshot_not_found');
    return found;
  }

  /**
   * @param to id or name of a snapshot, or `baseline`
   * @throws RestError 404 snapshot_not_found
   */
  async reset({ tenantId, id, workspaceId, organizationId, flags }: SandboxRow, to: string): Promise<object> {
    const began = performance.now();
    const disconnects = this.reader.read(flags)?.isDeterministic ?? false;
    const work = async (tx: Tx): Promise<ResetRow> => {
      const [done] = await tx.query<ResetRow>(RESET_SANDBOX, [tenantId, workspaceId, to]);
      if (!done) throw new RestError(404, 'snapshot_not_found');
      await this.journal.record(tx, tenantId, 'reset', { to, rows: done.rows });
      await this.resets.reset(tx, tenantId);
      this.recordReset(tx, { tenantId, id, workspaceId, organizationId }, { to, disconnects });
      return done;
    };
    const done = await this.turns.reset(tenantId, () => this.db.writeAlone(tenantId, work, { isReset: true }));
    if (done.takesApps) await this.resets.tookApps();
    if (done.leavesImages) await this.images.thin(tenantId);
    return { to, rows: done.rows, ms: Math.round(performance.now() - began) };
  }

  /**
   * Sockets stay connected and are told that what they saw was reset; they are cut where an id may mean something else
   * from now on.
   */
  private recordReset(
    tx: Tx,
    sandbox: Pick<SandboxRow, 'tenantId' | 'id' | 'workspaceId' | 'organizationId'>,
    { to, disconnects }: { readonly to: string; readonly disconnects: boolean },
  ): void {
    const event = {
      tenantId: sandbox.tenantId,
      kind: 'sandbox_reset',
      data: JSON.stringify({ sandbox_id: sandbox.id, to, ...(disconnects && { disconnects }) }),
    };
    tx.record({ ...event, product: 'chat', room: `team:${sandbox.workspaceId}` });
    if (sandbox.organizationId !== null) {
      const facts = { organizationId: sandbox.organizationId, type: 'Sandbox', teamIds: [], isPublic: false };
      tx.record({ ...event, product: 'tracker', room: `org:${sandbox.organizationId}`, facts });
    }
  }
}

function freeName(taken: readonly string[]): string {
  for (let number = taken.length + 1; ; number++)
    if (!taken.includes(`snapshot-${number}`)) return `snapshot-${number}`;
}
