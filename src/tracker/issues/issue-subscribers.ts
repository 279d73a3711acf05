import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { statement } from '../../kernel/database/statement.js';
import { Access } from '../access/access.js';
import { unknownReference } from '../values/errors.js';
import type { Mutated } from '../store/mutation.js';
import type { Issue } from './issue.entity.js';
import { currentSyncId } from '../events/sync.js';
import type { Viewer } from '../access/viewer.js';

const BY_EMAIL = statement(
  'tracker_user_by_email',
  `SELECT u.id FROM tracker_users u WHERE u.organization_id = $1::uuid AND lower(u.email) = lower($2)`,
);
// from the issue itself, so that one deleted meanwhile gets none
const SUBSCRIBE = statement(
  'tracker_subscribe',
  `INSERT INTO issue_subscribers (issue_id, user_id) SELECT i.id, $2::uuid FROM issues i WHERE i.id = $1::uuid
   ON CONFLICT DO NOTHING`,
);
const UNSUBSCRIBE = statement(
  'tracker_unsubscribe',
  `DELETE FROM issue_subscribers WHERE issue_id = $1::uuid AND user_id = $2::uuid`,
);

/** Whom a mutation names: by id, else by e-mail, else the caller. */
export interface Named {
  userId?: string | null;
  userEmail?: string | null;
}

/**
 * `issueSubscribe` and `issueUnsubscribe`: no change of the issue, so nothing is told
 * (docs/reference/tracker.md#issue).
 */
@Injectable()
export class IssueSubscribers {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
  ) {}

  subscribe(viewer: Viewer, id: string, named: Named): Promise<{ issue: Issue } & Mutated> {
    return this.set(viewer, id, named, SUBSCRIBE);
  }

  unsubscribe(viewer: Viewer, id: string, named: Named): Promise<{ issue: Issue } & Mutated> {
    return this.set(viewer, id, named, UNSUBSCRIBE);
  }

  private async set(
    viewer: Viewer,
    id: string,
    named: Named,
    change: typeof SUBSCRIBE,
  ): Promise<{ issue: Issue } & Mutated> {
    const issue = await this.access.issues.visible(viewer, id);
    await this.db.run(change, [issue.id, await this.userId(viewer, named)]);
    return { issue, success: true, lastSyncId: await currentSyncId(this.db, viewer.organizationId) };
  }

  private async userId(viewer: Viewer, { userId, userEmail }: Named): Promise<string> {
    if (typeof userId === 'string') {
      const [user] = await this.access.users.findMany(viewer, [userId]);
      if (!user) throw unknownReference('userId');
      return user.id;
    }
    if (typeof userEmail !== 'string') return viewer.userId;
    const [user] = await this.db.read<{ id: string }>(BY_EMAIL, [viewer.organizationId, userEmail]);
    if (!user) throw unknownReference('userEmail');
    return user.id;
  }
}
