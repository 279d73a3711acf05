import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db, type Tx } from '../../../kernel/database/db.js';
import { Upkeep } from '../../../kernel/database/upkeep.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { SandboxDues } from '../../../kernel/sandbox/sandbox-dues.js';
import { SandboxReader } from '../../../kernel/sandbox/sandbox-flags.js';
import { joinerOf } from '../../access/viewer.js';
import { Organization } from '../../organization/organization.entity.js';
import { User } from '../../organization/users/user.entity.js';
import { Team } from '../../teams/team.entity.js';
import { webFor } from '../../values/urls.js';
import { Issue } from '../issue.entity.js';
import { recordUnresponsive } from './agent-events.js';
import { AgentSession } from './agent-session.entity.js';
import { DUE_SESSIONS, NEXT_DUE, type DueSession } from './agent-sessions.queries.js';
import { changeSession } from './agent-starts.js';

/** How late sessions become stale, at most. */
const LOOK_EVERY_MS = 400;

/** What happens to sessions by the sandbox's clock alone (docs/reference/tracker-agents.md#states). */
@Injectable()
export class AgentClock {
  private readonly logger = new Logger('Agents');

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly sandboxes: SandboxReader,
    upkeep: Upkeep,
    dues: SandboxDues,
  ) {
    dues.register({ next: (tenantId) => this.next(tenantId), run: () => this.runDue() });
    upkeep.register('sessions of agents', LOOK_EVERY_MS, (stopped) => this.runDue(stopped));
  }

  private async next(tenantId: number): Promise<number | null> {
    const [row] = await this.db.read<{ at: number | null }>(NEXT_DUE, [tenantId]);
    return row?.at ?? null;
  }

  private async runDue(stopped = (): boolean => false): Promise<void> {
    for (;;) {
      const due = await this.db.read<DueSession>(DUE_SESSIONS, [this.clock.wallOffsetMicros]);
      let done = 0;
      for (const { id, flags } of due) {
        if (stopped()) return;
        const sandbox = this.sandboxes.read(flags);
        try {
          const pass = () => this.db.write((tx) => this.pass(tx, id, sandbox));
          if (await this.clock.within(sandbox?.time ?? null, pass)) done++;
        } catch (error) {
          // it does not delay others, and is looked at again
          this.logger.warn(`a session waits for its clock: ${(error as Error).message}`);
        }
      }
      if (due.length === 0 || done < due.length) return;
    }
  }

  /** Whether something was due. Of several replicas one does it: it is no longer due afterwards. */
  private async pass(tx: Tx, id: string, sandbox: ReturnType<SandboxReader['read']>): Promise<boolean> {
    const known = await tx.sql.findOneBy(AgentSession, { id });
    const issue = known && (await tx.sql.findOneBy(Issue, { id: known.issueId }));
    const session = await tx.sql.findOne(AgentSession, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!session || !issue) return false;
    const at = this.clock.now();
    const isPast = (moment: Date | null): boolean => moment !== null && moment <= at;
    const team = await tx.sql.findOneByOrFail(Team, { id: issue.teamId });
    const organization = await tx.sql.findOneByOrFail(Organization, { id: session.organizationId });
    const user = await tx.sql.findOneByOrFail(User, { id: session.creatorId ?? session.appUserId });
    const viewer = { ...joinerOf(organization, user), sandbox };
    const setting = { viewer, web: webFor(this.publicUrl.base, viewer), at };
    const place = { issue, team };
    const [isUnresponsive, isStale] = [isPast(session.unresponsiveAt), isPast(session.staleAt)];
    if (isUnresponsive) {
      await tx.sql.update(AgentSession, { id }, { unresponsiveAt: null });
      recordUnresponsive(tx, setting, place, session);
    }
    if (isStale) {
      const change = { status: 'stale', staleAt: null, unresponsiveAt: null };
      await changeSession(tx, setting, place, session, change);
    }
    return isUnresponsive || isStale;
  }
}
