import { Injectable } from '@nestjs/common';
import { Db } from '../../kernel/database/db.js';
import { Access } from '../access/access.js';
import type { Loaders } from './loaders.js';
import { unknownReference } from '../values/errors.js';
import type { PageArgs } from './page.js';
import { countFound, search, type Searched, type SearchPage, type SearchTerms } from './search.js';

/** Searches for a term (docs/reference/tracker.md#search). */
@Injectable()
export class Searching {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
  ) {}

  /** @throws unknownReference when the caller sees no such team */
  async find(entity: Searched, { viewer, now }: Loaders, terms: SearchTerms, args: PageArgs): Promise<SearchPage> {
    const { teamId } = terms;
    const isUnknown = typeof teamId === 'string' && (await this.access.teams.findMany(viewer, [teamId])).length === 0;
    if (isUnknown) throw unknownReference('teamId');
    const request = { viewer, now, args };
    return {
      found: await search(this.db, entity, terms, request),
      count: () => countFound(this.db, entity, terms, request),
    };
  }
}
