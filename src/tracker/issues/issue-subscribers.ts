import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Access } from '../access/access.js';
import { unknownReference } from '../values/errors.js';
import type { Mutated } from '../store/mutation.js';
import { type Issue, IssueSubscriber } from './issue.entity.js';
import { currentSyncId } from '../events/sync.js';
import type { Viewer } from '../access/viewer.js';
import { follow, userIdByEmail } from './issues.queries.js';

/** The user that a mutation names: by id, else by e-mail, else the caller. */
export interface Named {
  userId?: string | null;
  userEmail?: string | null;
}

/**
 * `issueSubscribe` and `issueUnsubscribe`: they do not change the issue, so there is no event
 * (docs/reference/tracker.md#issue).
 */
@Injectable()
export class IssueSubscribers {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
  ) {}

  subscribe(viewer: Viewer, id: string, named: Named): Promise<{ issue: Issue } & Mutated> {
    return this.set(viewer, id, named, (issueId, userId) => this.db.write((tx) => follow(tx, issueId, userId)));
  }

  unsubscribe(viewer: Viewer, id: string, named: Named): Promise<{ issue: Issue } & Mutated> {
    return this.set(viewer, id, named, (issueId, userId) =>
      this.db.write((tx) => tx.sql.delete(IssueSubscriber, { issueId, userId })),
    );
  }

  private async set(
    viewer: Viewer,
    id: string,
    named: Named,
    change: (issueId: string, userId: string) => Promise<unknown>,
  ): Promise<{ issue: Issue } & Mutated> {
    const issue = await this.access.issues.visible(viewer, id);
    await change(issue.id, await this.userId(viewer, named));
    return { issue, success: true, lastSyncId: await currentSyncId(this.db, viewer.organizationId) };
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
