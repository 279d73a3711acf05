import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/db.js';
import type { SandboxFlags } from '../../../kernel/sandbox/sandbox-flags.js';
import { ClockWorks } from '../../events/clock-work.js';
import { issueOfNews, type NewsIssue } from '../issue-of-news.js';
import { tell, type News } from '../../events/notify.js';
import { User } from '../../store/user.entity.js';
import type { Notification } from './notification.entity.js';
import { DUE_USERS, NEXT_DUE, TAKE_REMINDERS, WAKE } from './notifications.queries.js';
import { recordChanges } from './notifications.service.js';

/** An issue that somebody is to be reminded of. */
interface DueReminder extends NewsIssue, Record<string, unknown> {
  readonly teamKey: string;
  readonly teamName: string;
  readonly remindAt: Date;
}

/** What happens to a user's notifications by the clock alone (docs/reference/tracker-notifications.md#reminders). */
@Injectable()
export class NotificationClock {
  constructor(private readonly works: ClockWorks) {
    const pass = this.pass.bind(this);
    works.register({ name: 'reminders and snoozes', due: DUE_USERS, next: NEXT_DUE, pass });
  }

  /** @param id the user's */
  private async pass(tx: Tx, id: string, sandbox: SandboxFlags | null): Promise<boolean> {
    const user = await tx.sql.findOneBy(User, { id });
    if (!user) return false;
    const setting = await this.works.settingOf(tx, user, sandbox);
    const reminders = await tx.query<DueReminder>(TAKE_REMINDERS, [id, setting.at]);
    const woken = await tx.query<Notification & Record<string, unknown>>(WAKE, [id, setting.at]);
    recordChanges(tx, setting, woken);
    await tell(
      tx,
      reminders.map(({ remindAt, teamKey: key, teamName: name, ...issue }): News => ({
        ...setting,
        at: remindAt,
        ...issueOfNews(setting, issue, { id: issue.teamId, key, name }),
        causes: [{ type: 'issueReminder', users: [id] }],
        isToldToActor: true,
      })),
    );
    return reminders.length > 0 || woken.length > 0;
  }
}
