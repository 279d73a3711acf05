import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import { RestError } from '../../kernel/http/http-error.js';
import { newId, type IdPrefix } from '../../kernel/ids/ids.js';
import { NamedThings } from '../access/named-things.js';
import { oneByOne } from '../access/one-by-one.js';
import { Recorder } from '../timeline/recorder.js';
import type { FaultBody } from './faults.dto.js';
import { DELETE_FAULTS, FAULTS, INSERT_FAULT, type FaultRow } from './faults.queries.js';

const MAX_FAULTS = 1_000;

/** Faults as tests make, list and remove them. */
@Injectable()
export class Faults {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly recorder: Recorder,
    private readonly named: NamedThings,
  ) {}

  /** @throws RestError 400 unknown_method, unknown_app; 409 too_many_faults */
  async create(tenantId: number, body: FaultBody): Promise<object> {
    const { on, fault, times = 1, skip, probability, random_seed: randomSeed } = body;
    await this.named.requireCall(tenantId, on);
    const [row] = await oneByOne<FaultRow & { [column: string]: unknown }>(this.db, tenantId, INSERT_FAULT, [
      newId('Fa' as IdPrefix),
      tenantId,
      JSON.stringify(on),
      JSON.stringify(fault),
      times,
      skip ?? 0,
      probability ?? null,
      randomSeed ?? 1,
      this.clock.now(),
      MAX_FAULTS,
    ]);
    if (!row) throw new RestError(409, 'too_many_faults');
    const shown = shownFault(row);
    this.record(tenantId, { action: 'added', fault_id: row.id, type: row.fault.type, method: row.on_call.method });
    return shown;
  }

  async list(tenantId: number): Promise<object> {
    const rows = await this.db.read<FaultRow & { [column: string]: unknown }>(FAULTS, [tenantId]);
    return { faults: rows.map(shownFault) };
  }

  /** @throws RestError 404 fault_not_found */
  async remove(tenantId: number, id: string | null): Promise<void> {
    const gone = await oneByOne<{ id: string }>(this.db, tenantId, DELETE_FAULTS, [tenantId, id]);
    if (id !== null && gone.length === 0) throw new RestError(404, 'fault_not_found');
    for (const fault of gone) this.record(tenantId, { action: 'removed', fault_id: fault.id });
  }

  private record(tenantId: number, head: Readonly<Record<string, unknown>>): void {
    this.recorder.add({
      tenantId,
      atMs: null,
      wallMs: this.clock.wallMs(),
      kind: 'fault',
      head,
      body: {},
    });
  }
}

const shownFault = (row: FaultRow): object => ({
  id: row.id,
  on: row.on_call,
  fault: row.fault,
  times: row.times,
  skip: row.skip,
  ...(row.probability !== null && { probability: row.probability, random_seed: row.random_seed }),
  seen: row.seen,
  fired: row.fired,
  created: Math.floor(row.created_at.getTime() / 1000),
});
