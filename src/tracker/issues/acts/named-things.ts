import { Injectable } from '@nestjs/common';
import { Db } from '../../../kernel/database/db.js';
import type { Statement } from '../../../kernel/database/statement.js';
import { RestError } from '../../../kernel/http/http-error.js';
import { withoutAt } from '../../../kernel/text/names.js';
import { Access, Door } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import type { Issue } from '../issue.entity.js';
import {
  APP_USER_NAMED,
  CYCLE_NAMED,
  DOCUMENT_NAMED,
  ISSUE_OF_REF,
  LABEL_NAMED,
  PROJECT_NAMED,
  STATE_NAMED,
  TEAM_NAMED,
  USER_NAMED,
} from './named-things.queries.js';

const OF_TEAMS = { state: STATE_NAMED, label: LABEL_NAMED, cycle: CYCLE_NAMED } as const;
const OF_ALL = { team: TEAM_NAMED, project: PROJECT_NAMED, document: DOCUMENT_NAMED } as const;

type Seen = keyof typeof OF_ALL;

/** Resolves what people call things of the tracker to ids (docs/reference/acting.md#verbs). */
@Injectable()
export class NamedThings {
  private readonly doors: Readonly<Record<Seen, Pick<Door<'Team' | 'Project' | 'Document'>, 'findMany'>>>;

  constructor(
    private readonly db: Db,
    private readonly access: Access,
  ) {
    this.doors = { team: access.teams, project: access.projects, document: new Door(db, 'Document') };
  }

  /** By the ref of a document, its identifier or its id. @throws RestError 404 issue_not_found */
  async issue(viewer: Viewer, named: string): Promise<Issue> {
    const [ref] = await this.db.read<{ id: string }>(ISSUE_OF_REF, [viewer.tenantId, named]);
    const issue = await this.access.issues.find(viewer, ref?.id ?? named);
    if (!issue) throw new RestError(404, 'issue_not_found');
    return issue;
  }

  /** The first of this name that the person sees. @throws RestError 404 `<what>_not_found` */
  async of(viewer: Viewer, what: Seen, name: string): Promise<string> {
    const named = await this.db.read<{ id: string }>(OF_ALL[what], [viewer.organizationId, name]);
    const ids = named.map(({ id }) => id);
    const [seen] = await this.doors[what].findMany(viewer, ids);
    if (!seen) throw new RestError(404, `${what}_not_found`);
    return seen.id;
  }

  /** What a team has. @throws RestError 404 `<what>_not_found` */
  async ofTeam(viewer: Viewer, teamId: string, what: keyof typeof OF_TEAMS, name: string): Promise<string> {
    return (await this.one(OF_TEAMS[what], what, [viewer.organizationId, teamId, name])).id;
  }

  /** @throws RestError 404 user_not_found */
  async user(viewer: Viewer, name: string): Promise<string> {
    return (await this.one(USER_NAMED, 'user', [viewer.organizationId, withoutAt(name)])).id;
  }

  /** The user of an application. @throws RestError 404 app_not_found */
  app(viewer: Viewer, name: string): Promise<{ id: string; displayName: string }> {
    return this.one(APP_USER_NAMED, 'app', [viewer.organizationId, withoutAt(name)]);
  }

  private async one<R extends { id: string } = { id: string; displayName: string }>(
    s: Statement,
    what: string,
    values: readonly string[],
  ): Promise<R> {
    const [row] = await this.db.read<R & Record<string, unknown>>(s, [...values]);
    if (!row) throw new RestError(404, `${what}_not_found`);
    return row;
  }
}
