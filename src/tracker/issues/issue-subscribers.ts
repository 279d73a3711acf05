import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db, type Tx } from '../../kernel/database/db.js';
import { PublicUrl } from '../../kernel/http/public-url.js';
import { Access } from '../access/access.js';
import { unknownReference } from '../values/errors.js';
import type { Mutated } from '../events/mutation.js';
import { type Issue, IssueSubscriber } from './issue.entity.js';
import { tell } from '../events/notify.js';
import { currentSyncId } from '../events/sync.js';
import { Team } from '../store/team.entity.js';
import { webFor } from '../values/urls.js';
import { newsOfSubscriber } from './issue-news.js';
import type { Viewer } from '../access/viewer.js';
import { follow, userIdByEmail } from './issues.queries.js';

/** The user that a mutation names: by id, else by e-mail, else the caller. */
export interface Named {
  userId?: string | null;
  userEmail?: string | null;
}

/**
 * `issueSubscribe` and `issueUnsubscribe`: they do not change the issue, so there is no event of it
 * (docs/reference/tracker.md#issue). Who is subscribed by somebody else is told.
 */
@Injectable()
export class IssueSubscribers {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  subscribe(viewer: Viewer, id: string, named: Named): Promise<{ issue: Issue } & Mutated> {
    return this.set(viewer, id, named, (issue, userId) =>
      this.db.write(async (tx) => {
        const isNew = await follow(tx, issue.id, userId);
        if (isNew) await this.tellSubscriber(tx, viewer, issue, userId);
      }),
    );
  }

  unsubscribe(viewer: Viewer, id: string, named: Named): Promise<{ issue: Issue } & Mutated> {
    return this.set(viewer, id, named, ({ id: issueId }, userId) =>
      this.db.write((tx) => tx.sql.delete(IssueSubscriber, { issueId, userId })),
    );
  }

  private async set(
    viewer: Viewer,
    id: string,
    named: Named,
    change: (issue: Issue, userId: string) => Promise<unknown>,
  ): Promise<{ issue: Issue } & Mutated> {
    const issue = await this.access.issues.visible(viewer, id);
    await change(issue, await this.userId(viewer, named));
    return { issue, success: true, lastSyncId: await currentSyncId(this.db, viewer.organizationId) };
  }

  private async tellSubscriber(tx: Tx, viewer: Viewer, issue: Issue, userId: string): Promise<void> {
    if (userId === viewer.userId) return;
    const team = await tx.sql.findOneByOrFail(Team, { id: issue.teamId });
    const setting = { viewer, web: webFor(this.publicUrl.base, viewer), at: this.clock.now() };
    await tell(tx, [newsOfSubscriber(setting, issue, team, userId)]);
  }

  private async userId(viewer: Viewer, { userId, userEmail }: Named): Promise<string> {
    if (typeof userId === 'string') {
      const [user] = await this.access.users.findMany(viewer, [userId]);
      if (!user) throw unknownReference('userId');
      return user.id;
    }
    if (typeof userEmail !== 'string') return viewer.userId;
    const found = await userIdByEmail(this.db, viewer.organizationId, userEmail);
    if (found === undefined) throw unknownReference('userEmail');
    return found;
  }
}
