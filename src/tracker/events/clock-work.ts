import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { Upkeep } from '../../kernel/database/upkeep.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { SandboxDues } from '../../kernel/sandbox/sandbox-dues.js';
import { SandboxReader, type SandboxFlags } from '../../kernel/sandbox/sandbox-flags.js';
import { joinerOf, type Viewer } from '../access/viewer.js';
import { Organization } from '../store/organization.entity.js';
import type { User } from '../store/user.entity.js';
import { webFor } from '../values/urls.js';

/** How late work is done while nothing advances the clocks, at most. */
const LOOK_EVERY_MS = 400;

/** Something that happens by the clocks of sandboxes alone, thing by thing. */
export interface ClockWork {
  /** What the log calls it. */
  readonly name: string;
  /**
   * The ids of things with work that is due by their sandboxes' clocks, each with the sandbox's `flags`; $1 is the clock's
   * offset in real time.
   */
  readonly due: Statement;
  /** The soonest moment (`at`, in microseconds) at which work is due in a tenant ($1). */
  readonly next: Statement;
  /**
   * Does what is due of a thing; answers whether something was. Of several replicas one does it: the thing is locked, and
   * nothing of it is due afterwards.
   */
  pass(tx: Tx, id: string, sandbox: SandboxFlags | null): Promise<boolean>;
}

/** Does the work of clocks: a little late in real time, and each at its own moment while a clock is advanced. */
@Injectable()
export class ClockWorks {
  private readonly logger = new Logger('Clocks');

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly sandboxes: SandboxReader,
    private readonly upkeep: Upkeep,
    private readonly dues: SandboxDues,
  ) {}

  /** At start-up. */
  register(work: ClockWork): void {
    this.dues.register({ next: (tenantId) => this.next(work, tenantId), run: () => this.run(work) });
    this.upkeep.register(work.name, LOOK_EVERY_MS, (stopped) => this.run(work, stopped));
  }

  /** As whom the clock acts: the user who asked for it. */
  async settingOf(
    tx: Tx,
    user: User,
    sandbox: SandboxFlags | null,
  ): Promise<{ viewer: Viewer; web: string; at: Date }> {
    const organization = await tx.sql.findOneByOrFail(Organization, { id: user.organizationId });
    const viewer = { ...joinerOf(organization, user), sandbox };
    return { viewer, web: webFor(this.publicUrl.base, viewer), at: this.clock.now() };
  }

  private async next({ next }: ClockWork, tenantId: number): Promise<number | null> {
    const [row] = await this.db.read<{ at: number | null }>(next, [tenantId]);
    return row?.at ?? null;
  }

  private async run(work: ClockWork, stopped = (): boolean => false): Promise<void> {
    for (;;) {
      const due = await this.db.read<{ id: string; flags: string | null }>(work.due, [this.clock.wallOffsetMicros]);
      let done = 0;
      for (const { id, flags } of due) {
        if (stopped()) return;
        const sandbox = this.sandboxes.read(flags);
        try {
          const pass = () => this.db.write((tx) => work.pass(tx, id, sandbox));
          if (await this.clock.doing(sandbox, `${work.name} ${id}`, pass)) done++;
        } catch (error) {
          // it does not delay others, and is looked at again
          this.logger.warn(`${work.name} wait for their clock: ${(error as Error).message}`);
        }
      }
      if (due.length === 0 || done < due.length) return;
    }
  }
}
