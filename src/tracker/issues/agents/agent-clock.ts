import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/db.js';
import type { SandboxFlags } from '../../../kernel/sandbox/sandbox-flags.js';
import { ClockWorks } from '../../events/clock-work.js';
import { User } from '../../store/user.entity.js';
import { Team } from '../../store/team.entity.js';
import { Issue } from '../issue.entity.js';
import { recordUnresponsive } from './agent-events.js';
import { AgentSession } from './agent-session.entity.js';
import { DUE_SESSIONS, NEXT_DUE } from './agent-sessions.queries.js';
import { changeSession } from './agent-starts.js';

/** What happens to sessions by the sandbox's clock alone (docs/reference/tracker-agents.md#states). */
@Injectable()
export class AgentClock {
  constructor(private readonly works: ClockWorks) {
    const pass = this.pass.bind(this);
    works.register({ name: 'sessions of agents', due: DUE_SESSIONS, next: NEXT_DUE, pass });
  }

  private async pass(tx: Tx, id: string, sandbox: SandboxFlags | null): Promise<boolean> {
    const known = await tx.sql.findOneBy(AgentSession, { id });
    const issue = known && (await tx.sql.findOneBy(Issue, { id: known.issueId }));
    const session = await tx.sql.findOne(AgentSession, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!session || !issue) return false;
    const team = await tx.sql.findOneByOrFail(Team, { id: issue.teamId });
    const user = await tx.sql.findOneByOrFail(User, { id: session.creatorId ?? session.appUserId });
    const setting = await this.works.settingOf(tx, user, sandbox);
    const isPast = (moment: Date | null): boolean => moment !== null && moment <= setting.at;
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
