import { drawnForStatement } from '../../../kernel/clock/request-sandbox.js';
import { Injectable } from '@nestjs/common';
import type { Viewer } from '../../access/viewer.js';
import { Access } from '../../access/access.js';
import { EntityNeeds } from '../../entity/service.js';
import type { Issue } from '../issue.entity.js';
import { mutate, type Mutated } from '../../events/mutation.js';
import { invalidArgument } from '../../values/errors.js';
import { REMIND } from './notifications.queries.js';

/** Reminders of issues (docs/reference/tracker-notifications.md#reminders): they do not change the issue. */
@Injectable()
export class RemindersService {
  constructor(
    private readonly needs: EntityNeeds,
    private readonly access: Access,
  ) {}

  /** @throws notFound, and argumentValidation unless it is later than now */
  remind(viewer: Viewer, id: string, at: Date): Promise<{ issue: Issue } & Mutated> {
    const now = this.needs.clock.now();
    if (at <= now) {
      throw invalidArgument('reminderAt', 'minDate', `minimal allowed date for reminderAt is ${now.toISOString()}`);
    }
    return mutate(this.needs.db, viewer, async (tx) => {
      const { organizationId, userId } = viewer;
      const found = await this.access.issues.find(viewer, id, tx, 'use');
      const issue = found ?? (await this.access.issues.visible(viewer, id, tx));
      await tx.query(REMIND, [organizationId, issue.id, userId, at, drawnForStatement()]);
      return { issue };
    });
  }
}
