import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Access } from '../access/access.js';
import type { Loaders } from '../query/loaders.js';
import { page, type Page, type PageArgs } from '../query/page.js';
import type { Issue } from './issue.entity.js';
import type { Viewer } from '../access/viewer.js';

/** More than any branch name contains, and few enough to look up one by one. */
const MAX_CANDIDATES = 20;

/** Lists and searches of issues (docs/reference/tracker.md#filters). */
@Injectable()
export class IssueQueries {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
  ) {}

  list({ viewer, now }: Loaders, args: PageArgs): Promise<Page<Issue>> {
    return page(this.db, 'Issue', { viewer, now, args });
  }

  /** The first `ENG-12` in the name that belongs to an issue. */
  async byBranchName(viewer: Viewer, branchName: string): Promise<Issue | null> {
    const candidates = [...branchName.matchAll(/[A-Za-z][A-Za-z0-9]*-\d+/g)].slice(0, MAX_CANDIDATES);
    for (const [identifier] of candidates) {
      const issue = await this.access.issues.find(viewer, identifier);
      if (issue) return issue;
    }
    return null;
  }
}
