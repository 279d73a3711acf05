import { Inject, Module } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { Db } from '../../kernel/database/db.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { InstallationTold } from '../../kernel/sandbox/installation-told.js';
import { FaultGate } from '../faults/fault-gate.js';
import { FaultsController } from '../faults/faults.controller.js';
import { COUNT_FAULTS } from '../faults/faults.queries.js';
import { Faults } from '../faults/faults.service.js';
import { SandboxJournal, SandboxParts } from '../ports.js';
import { Idleness } from '../waiting/idleness.js';
import { WaitsController } from '../waiting/waits.controller.js';
import { Waits } from '../waiting/waits.service.js';
import { CallJournal } from './call-journal.js';
import { DeliveryJournal } from './delivery-journal.js';
import { keepValue } from './entry.js';
import { Feeds } from './feeds.js';
import { KnownSecrets } from './known-secrets.js';
import { PageReader } from './page-reader.js';
import { PageWriter } from './page-writer.js';
import { Recorder } from './recorder.js';
import { Replicas } from './replicas.js';
import { Streams } from './streams.js';
import { TimelineController } from './timeline.controller.js';
import { FORGET, FORGET_TENANTS } from './timeline.queries.js';
import { Timeline } from './timeline.service.js';

const FORGET_EVERY_MS = 60_000;

/** Timeline, waits and faults of sandboxes. */
@Module({
  controllers: [TimelineController, WaitsController, FaultsController],
  providers: [
    Replicas,
    PageReader,
    PageWriter,
    Recorder,
    KnownSecrets,
    Timeline,
    Feeds,
    Streams,
    FaultGate,
    Faults,
    CallJournal,
    DeliveryJournal,
    Idleness,
    Waits,
  ],
  exports: [Recorder, Timeline, Feeds, Replicas, DeliveryJournal],
})
export class TimelineModule {
  constructor(
    private readonly db: Db,
    @Inject(SETTINGS_TOKEN) settings: Settings,
    upkeep: Upkeep,
    recorder: Recorder,
    clock: Clock,
    journal: SandboxJournal,
    parts: SandboxParts,
    installations: InstallationTold,
  ) {
    upkeep.register('forgetting old timelines', FORGET_EVERY_MS, (stopped) =>
      this.forget(settings.eventRetentionHours, stopped),
    );
    // actions on a sandbox are recorded when they are done
    journal.register((tx, tenantId, kind, data) => {
      if (kind !== 'created') {
        const kept = keepValue(data);
        const head = kept.cutFrom === undefined ? (JSON.parse(kept.json) as object) : { length: kept.cutFrom };
        tx.afterCommit(() =>
          recorder.add({
            tenantId,
            atMs: null,
            wallMs: clock.wallMs(),
            kind,
            head: head as Record<string, unknown>,
            body: {},
          }),
        );
      }
      return Promise.resolve();
    });
    installations.onNews(({ tenantId, kind, ...head }) =>
      recorder.add({ tenantId, atMs: null, wallMs: clock.wallMs(), kind, head, body: {} }),
    );
    parts.countWith(async (tenants) => {
      const rows = await db.read<{ tenant_id: number; faults: number }>(COUNT_FAULTS, [tenants]);
      return new Map(rows.map((row) => [row.tenant_id, { faults: row.faults }]));
    });
  }

  private async forget(hours: number, stopped: () => boolean): Promise<void> {
    await this.db.run(FORGET_TENANTS);
    while (!stopped()) {
      const gone = await this.db.run(FORGET, [hours]);
      if (gone.length === 0) return;
    }
  }
}
