import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Access } from '../access/access.js';
import { unknownReference } from '../values/errors.js';
import type { Loaders } from '../store/loaders.js';
import { page, type Page, type PageArgs } from '../query/page.js';
import type { Issue } from './issue.entity.js';
import { countFound, searchIssues, type SearchTerms } from '../query/search.js';
import type { Viewer } from '../access/viewer.js';

/** The answer of `searchIssues`; the total is only counted when it is selected. */
export interface IssueSearchPage {
  readonly found: Page<Issue>;
  readonly count: () => Promise<number>;
}

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

  /** @throws unknownReference when the caller sees no such team */
  async checkTeam(viewer: Viewer, teamId: string): Promise<void> {
    if ((await this.access.teams.findMany(viewer, [teamId])).length === 0) throw unknownReference('teamId');
  }

  async search({ viewer, now }: Loaders, terms: SearchTerms, args: PageArgs): Promise<IssueSearchPage> {
    const request = { viewer, now, args };
    return {
      found: await searchIssues(this.db, terms, request),
      count: () => countFound(this.db, terms, request),
    };
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
