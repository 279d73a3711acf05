import { BadRequestException, Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { FillingTurns } from '../../kernel/tenancy/filling-turns.js';
import type { SandboxRow } from '../access/sandbox-row.js';
import { SandboxJournal, SandboxParts } from '../ports.js';

const MOST = 50;

const CLOCK = `jsonb_build_object('offset', clock_offset, 'frozenAt', clock_frozen_at, 'signWith', clock_sign_with)`;

const LIST = statement(
  'sandbox_snapshots',
  `SELECT id, name, epoch, rows, bytes, created_at AS "createdAt", clock FROM snapshots WHERE tenant_id = $1 ORDER BY created_at, id`,
);

const SIZE = statement('sandbox_size', 'SELECT rows, bytes FROM sandbox_size($1)');

const NEXT_EPOCH = statement(
  'sandbox_next_epoch',
  'UPDATE sandboxes SET epoch = epoch + 1 WHERE tenant_id = $1 RETURNING epoch',
);

const INSERT = statement(
  'sandbox_insert_snapshot',
  `INSERT INTO snapshots (tenant_id, name, epoch, rows, bytes, clock)
   SELECT $1, $2, $3, $4, $5, ${CLOCK} FROM sandboxes WHERE tenant_id = $1
   RETURNING id, name, epoch, rows, bytes, created_at AS "createdAt", clock`,
);

const DELETE = statement(
  'sandbox_delete_snapshot',
  `WITH later AS (UPDATE sandboxes SET epoch = epoch + 1 WHERE tenant_id = $1)
   DELETE FROM snapshots WHERE tenant_id = $1 AND (id = $2 OR name = $2) RETURNING epoch`,
);

/** Drops images that no state needs any more, so many of them; answers where it stopped. */
const THIN = statement('sandbox_thin', 'SELECT tbl, key FROM sandbox_thin($1, $2, $3, 2000)');

const BASELINE = statement(
  'sandbox_baseline',
  `SELECT baseline_epoch AS epoch, baseline_rows AS rows, baseline_clock AS clock FROM sandboxes
   WHERE tenant_id = $1 AND baseline_epoch IS NOT NULL`,
);

const RESTORE = statement('sandbox_restore_rows', 'SELECT sandbox_restore($1, $2) AS "leavesImages"');

const SET_AFTER_RESET = statement(
  'sandbox_set_after_reset',
  `UPDATE sandboxes SET allowances = allowances + 1, clock_offset = ($2::jsonb ->> 'offset')::bigint,
     clock_frozen_at = ($2::jsonb ->> 'frozenAt')::bigint, clock_sign_with = coalesce($2::jsonb ->> 'signWith', 'wall'),
     baseline_rows = CASE WHEN $3 THEN $4 ELSE baseline_rows END
   WHERE tenant_id = $1`,
);

/** What a reset ends; answers people who were not there, before the images that name them are forgotten. */
const DROP_QUEUED = statement(
  'sandbox_drop_queued',
  `WITH urls AS (DELETE FROM response_urls WHERE workspace_id = $2), triggers_ AS (DELETE FROM triggers WHERE workspace_id = $2),
   views_ AS (DELETE FROM views WHERE workspace_id = $2), ephemeral AS (DELETE FROM ephemeral_messages WHERE workspace_id = $2),
   statuses AS (DELETE FROM assistant_threads WHERE workspace_id = $2),
   queued AS (DELETE FROM deliveries WHERE target_id IN (SELECT id FROM delivery_targets WHERE tenant_id = $1))
   SELECT DISTINCT u.key::jsonb ->> 'id' AS id FROM sandbox_undo u
   WHERE u.tenant_id = $1 AND u.tbl = 'users' AND u.epoch >= $3 AND u.image IS NULL`,
);

/** Accounts of people who were not there. */
const DROP_PEOPLE = statement(
  'sandbox_drop_people',
  `DELETE FROM accounts a WHERE a.id = ANY($1::text[])
     AND NOT EXISTS (SELECT FROM users u WHERE u.id = a.id)
     AND NOT EXISTS (SELECT FROM tracker_users u WHERE u.account_id = a.id)`,
);

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

/** What a sandbox was like, and back to it (docs/reference/sandboxes.md#snapshots). */
@Injectable()
export class Snapshots {
  constructor(
    private readonly db: Db,
    private readonly journal: SandboxJournal,
    private readonly parts: SandboxParts,
    private readonly turns: FillingTurns,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  async list({ tenantId }: SandboxRow): Promise<object[]> {
    return (await this.db.read<Snapshot>(LIST, [tenantId])).map(show);
  }

  /** @throws BadRequestException; RestError 409 too_many_snapshots, sandbox_too_large */
  async take({ tenantId }: SandboxRow, body: unknown): Promise<object> {
    const { name: sent } = (body ?? {}) as { name?: unknown };
    if (sent !== undefined && (typeof sent !== 'string' || sent.trim() === '' || [...sent].length > 80)) {
      throw new BadRequestException(['name must be a text of 1 to 80 characters']);
    }
    if (sent === 'baseline') throw new BadRequestException(['name must not be baseline: that is the state as created']);
    const { shown, replaces } = await this.db.writeAlone(tenantId, async (tx) => {
      const there = await tx.query<Snapshot>(LIST, [tenantId]);
      const name = (sent as string | undefined) ?? freeName(there.map((snapshot) => snapshot.name));
      const replaced = there.find((snapshot) => snapshot.name === name);
      if (!replaced && there.length >= MOST) throw new RestError(409, 'too_many_snapshots');
      const [size] = await tx.query<{ rows: number; bytes: number }>(SIZE, [tenantId]);
      const { rows, bytes } = size as { rows: number; bytes: number };
      if (Number(rows) > this.settings.snapshotMaxRows) throw new RestError(409, 'sandbox_too_large');
      if (replaced) await tx.query(DELETE, [tenantId, replaced.id]);
      const [next] = await tx.query<{ epoch: number }>(NEXT_EPOCH, [tenantId]);
      const [made] = await tx.query<Snapshot>(INSERT, [tenantId, name, next?.epoch, rows, bytes]);
      await this.journal.record(tx, tenantId, 'snapshot', { snapshot: (made as Snapshot).id, name });
      return { shown: show(made as Snapshot), replaces: replaced !== undefined };
    });
    if (replaces) await this.thin(tenantId);
    return shown;
  }

  /** @throws RestError 409 cant_delete_baseline, 404 snapshot_not_found */
  async remove({ tenantId }: SandboxRow, idOrName: string): Promise<void> {
    if (idOrName === 'baseline') throw new RestError(409, 'cant_delete_baseline');
    await this.db.writeAlone(tenantId, async (tx) => {
      const gone = await tx.query(DELETE, [tenantId, idOrName]);
      if (gone.length === 0) throw new RestError(404, 'snapshot_not_found');
    });
    await this.thin(tenantId);
  }

  /**
   * Images that only a state needed that is gone, or that a reset left, go a page at a time while others write: else each
   * round of a suite that resets and takes snapshots would leave some, and each reset would go through all of them.
   */
  private async thin(tenantId: number): Promise<void> {
    let from: { tbl: string; key: string } | undefined = { tbl: '', key: '' };
    while (from)
      [from] = await this.db.run<{ tbl: string; key: string }>(THIN, [tenantId, from.tbl, from.key], tenantId);
  }

  /** The epoch a state began with: of `baseline`, or of a snapshot by id or name. @throws RestError 404 snapshot_not_found */
  async epochOf(tenantId: number, idOrName: string): Promise<number> {
    return (await this.find((s, values) => this.db.read<Snapshot>(s, values), tenantId, idOrName)).epoch;
  }

  private async find(
    read: (s: typeof LIST, values: unknown[]) => Promise<Snapshot[]>,
    tenantId: number,
    idOrName: string,
  ): Promise<Snapshot> {
    const found =
      idOrName === 'baseline'
        ? (await read(BASELINE, [tenantId]))[0]
        : (await read(LIST, [tenantId])).find(({ id, name }) => id === idOrName || name === idOrName);
    if (!found) throw new RestError(404, 'snapshot_not_found');
    return found;
  }

  /** @throws BadRequestException; RestError 404 snapshot_not_found */
  async reset({ tenantId, id, workspaceId, organizationId }: SandboxRow, body: unknown): Promise<object> {
    const { to = 'baseline' } = (body ?? {}) as { to?: unknown };
    if (typeof to !== 'string')
      throw new BadRequestException(['to must be the id or the name of a snapshot, or baseline']);
    const began = performance.now();
    const work = async (tx: Tx): Promise<{ count: number; leavesImages: boolean }> => {
      const target = await this.find((s, values) => tx.query<Snapshot>(s, values), tenantId, to);
      const people = await tx.query<{ id: string }>(DROP_QUEUED, [tenantId, workspaceId, target.epoch]);
      const [restored] = await tx.query<{ leavesImages: boolean }>(RESTORE, [tenantId, target.epoch]);
      if (people.length > 0) await tx.query(DROP_PEOPLE, [people.map((person) => person.id)]);
      const [size] = target.rows === null ? await tx.query<{ rows: number }>(SIZE, [tenantId]) : [];
      const count = Number(target.rows ?? size?.rows);
      await tx.query(SET_AFTER_RESET, [tenantId, JSON.stringify(target.clock), to === 'baseline', count]);
      for (const step of this.parts.resets) await step(tx, { tenantId, id });
      await this.journal.record(tx, tenantId, 'reset', { to, rows: count });
      this.tell(tx, { tenantId, id, workspaceId, organizationId }, to);
      return { count, leavesImages: restored?.leavesImages ?? false };
    };
    const done = await this.turns.reset(tenantId, () => this.db.writeAlone(tenantId, work, { isReset: true }));
    if (done.leavesImages) await this.thin(tenantId);
    return { to, rows: done.count, ms: Math.round(performance.now() - began) };
  }

  /** Sockets stay connected and hear that what they saw is no more. */
  private tell(
    tx: Tx,
    sandbox: Pick<SandboxRow, 'tenantId' | 'id' | 'workspaceId' | 'organizationId'>,
    to: string,
  ): void {
    const event = {
      tenantId: sandbox.tenantId,
      kind: 'sandbox_reset',
      data: JSON.stringify({ sandbox_id: sandbox.id, to }),
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
