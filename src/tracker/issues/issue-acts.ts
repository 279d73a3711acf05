import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock/clock.js';
import { Db } from '../../kernel/database/db.js';
import type { Statement } from '../../kernel/database/statement.js';
import { RestError } from '../../kernel/http/http-error.js';
import { ProductActs, type ActingPerson, type ProductAct } from '../../kernel/sandbox/product-acts.js';
import { withoutAt } from '../../kernel/text/names.js';
import { Access } from '../access/access.js';
import { Viewers, type Viewer } from '../access/viewer.js';
import { validateInput } from '../graphql/validate.js';
import { TrackerError } from '../values/errors.js';
import { CommentCreateInput } from './comments/comments.inputs.js';
import { CommentsService } from './comments/comments.service.js';
import {
  CYCLE_NAMED,
  ISSUE_OF_REF,
  LABEL_NAMED,
  PROJECT_NAMED,
  STATE_NAMED,
  TEAM_NAMED,
  USER_NAMED,
} from './issue-acts.queries.js';
import { IssueChanges } from './issue-changes.js';
import { IssueCreation } from './issue-creation.js';
import type { Issue } from './issue.entity.js';
import { IssueCreateInput, IssueUpdateInput } from './issues.inputs.js';

type Sent = Readonly<Record<string, unknown>>;

/** What people do with issues, in the words of documents: everything by its name (docs/reference/acting.md#verbs). */
@Injectable()
export class IssueActs {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly access: Access,
    private readonly viewers: Viewers,
    private readonly creation: IssueCreation,
    private readonly changes: IssueChanges,
    private readonly comments: CommentsService,
    acts: ProductActs,
  ) {
    acts.register({
      issue_create: this.as((viewer, sent) => this.create(viewer, sent)),
      issue_update: this.as((viewer, sent) => this.update(viewer, sent)),
      comment: this.as((viewer, sent) => this.comment(viewer, sent)),
    });
  }

  private as(act: (viewer: Viewer, sent: Sent) => Promise<object>): ProductAct {
    return async ({ tenantId, accountId }: ActingPerson, sent) => {
      const viewer = await this.viewers.ofPerson(tenantId, accountId);
      if (!viewer) throw new RestError(404, 'user_not_found');
      return act(viewer, sent).catch((error: unknown) => {
        throw error instanceof TrackerError ? refusalOf(error) : error;
      });
    };
  }

  private async create(viewer: Viewer, sent: Sent): Promise<object> {
    const team = await this.named(TEAM_NAMED, 'team', textIn(sent, 'team'), viewer.organizationId);
    const fields = { id: sent['id'], teamId: team, ...(await this.fields(viewer, team, sent)) };
    const { issue } = await this.creation.create(viewer, this.checked(IssueCreateInput, fields));
    return shown(issue);
  }

  private async update(viewer: Viewer, sent: Sent): Promise<object> {
    const { id, teamId } = await this.issue(viewer, textIn(sent, 'issue'));
    const team =
      sent['team'] === undefined
        ? undefined
        : await this.named(TEAM_NAMED, 'team', textIn(sent, 'team'), viewer.organizationId);
    const fields = {
      ...(team !== undefined && { teamId: team }),
      ...(await this.fields(viewer, team ?? teamId, sent)),
    };
    const { issue } = await this.changes.update(viewer, id, this.checked(IssueUpdateInput, fields));
    return shown(issue);
  }

  private async comment(viewer: Viewer, sent: Sent): Promise<object> {
    const issue = await this.issue(viewer, textIn(sent, 'issue'));
    const fields = { id: sent['id'], issueId: issue.id, body: textIn(sent, 'body') };
    const { comment } = await this.comments.create(viewer, this.checked(CommentCreateInput, fields));
    return { id: comment.id, ...shown(issue, 'issue') };
  }

  private checked<T extends object>(type: new () => T, fields: Sent): T {
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    return validateInput(type, given, this.clock.now());
  }

  /** The fields of an issue that were sent, with ids for names; null takes a value away. */
  private async fields(viewer: Viewer, teamId: string, sent: Sent): Promise<Sent> {
    const { organizationId } = viewer;
    const fields: Record<string, unknown> = {};
    for (const [field, key] of PLAIN) if (sent[field] !== undefined) fields[key] = sent[field];
    const refer = async (field: string, key: string, find: (name: string) => Promise<string>): Promise<void> => {
      const name = sent[field];
      if (name !== undefined) fields[key] = name === null ? null : await find(nameIn(sent, field));
    };
    await refer('state', 'stateId', (name) => this.named(STATE_NAMED, 'state', name, organizationId, teamId));
    await refer('assignee', 'assigneeId', (name) => this.named(USER_NAMED, 'user', withoutAt(name), organizationId));
    await refer('project', 'projectId', (name) => this.named(PROJECT_NAMED, 'project', name, organizationId));
    await refer('cycle', 'cycleId', (name) => this.named(CYCLE_NAMED, 'cycle', name, organizationId, teamId));
    await refer('parent', 'parentId', async (name) => (await this.issue(viewer, name)).id);
    if (sent['labels'] !== undefined) {
      fields['labelIds'] = await Promise.all(
        textsIn(sent, 'labels').map((name) => this.named(LABEL_NAMED, 'label', name, organizationId, teamId)),
      );
    }
    return fields;
  }

  /** By the ref of a document, its identifier or its id. @throws RestError 404 issue_not_found */
  private async issue(viewer: Viewer, named: string): Promise<Issue> {
    const [ref] = await this.db.read<{ id: string }>(ISSUE_OF_REF, [viewer.tenantId, named]);
    const issue = await this.access.issues.find(viewer, ref?.id ?? named);
    if (!issue) throw new RestError(404, 'issue_not_found');
    return issue;
  }

  /** @throws RestError 404 `<what>_not_found` */
  private async named(s: Statement, what: string, name: string, organizationId: string, teamId?: string) {
    const values = teamId === undefined ? [organizationId, name] : [organizationId, teamId, name];
    const [row] = await this.db.read<{ id: string }>(s, values);
    if (!row) throw new RestError(404, `${what}_not_found`);
    return row.id;
  }
}

/** Fields that are sent on under the names of the GraphQL inputs. */
const PLAIN: readonly (readonly [string, string])[] = [
  ['title', 'title'],
  ['description', 'description'],
  ['priority', 'priority'],
  ['estimate', 'estimate'],
  ['due_date', 'dueDate'],
];

const shown = ({ id, identifier }: Issue, prefix = ''): object =>
  prefix === '' ? { id, identifier } : { issue_id: id, identifier };

function refusalOf(error: TrackerError): Error {
  if (error.kind === 'notFound') return new RestError(404, 'issue_not_found');
  const broken = (error.validationErrors ?? []).flatMap(({ constraints = {} }) => Object.values(constraints));
  return new BadRequestException(broken.length > 0 ? broken : [error.presentable ?? error.message]);
}

/** A name, or a number that serves as one. @throws BadRequestException */
function nameIn(sent: Sent, field: string): string {
  const value = sent[field];
  return typeof value === 'number' ? String(value) : textIn(sent, field);
}

/** @throws BadRequestException */
function textIn(sent: Sent, field: string): string {
  const value = sent[field];
  if (typeof value !== 'string' || value.trim() === '') throw new BadRequestException([`${field} must be a text`]);
  return value;
}

/** @throws BadRequestException */
function textsIn(sent: Sent, field: string): string[] {
  const value = sent[field];
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) {
    throw new BadRequestException([`${field} must be a list of names`]);
  }
  return value;
}
