import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { ProductActs, type ProductActed } from '../../../kernel/sandbox/product-acts.js';
import type { Viewer } from '../../access/viewer.js';
import { validateInput } from '../../graphql/validate.js';
import { issueUrl, webFor } from '../../values/urls.js';
import { IssueChanges } from '../issue-changes.js';
import { IssueCreation } from '../issue-creation.js';
import type { Issue } from '../issue.entity.js';
import { IssueCreateInput, IssueUpdateInput } from '../issues.inputs.js';
import { ActReplies } from './act-replies.js';
import { ActingViewers } from './acting-viewers.js';
import { NamedThings } from './named-things.js';
import { anyTextIn, dayIn, nameIn, textIn, textsIn, wholeNumberIn, type Sent } from './sent-fields.js';

/** What people do with issues, in the words of documents: everything by its name (docs/reference/acting.md#verbs). */
@Injectable()
export class IssueActs {
  constructor(
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly things: NamedThings,
    private readonly creation: IssueCreation,
    private readonly changes: IssueChanges,
    private readonly replies: ActReplies,
    viewers: ActingViewers,
    acts: ProductActs,
  ) {
    acts.register({
      issue_create: viewers.act('issue_not_found', (viewer, sent) => this.create(viewer, sent)),
      issue_update: viewers.act('issue_not_found', (viewer, sent) => this.update(viewer, sent)),
    });
  }

  private async create(viewer: Viewer, sent: Sent): Promise<ProductActed> {
    const team = await this.things.of(viewer, 'team', textIn(sent, 'team'));
    const fields = { id: sent['id'], teamId: team, ...(await this.fields(viewer, team, sent)) };
    const { issue } = await this.creation.create(viewer, this.checked(IssueCreateInput, fields));
    return this.acted(viewer, issue, []);
  }

  private async update(viewer: Viewer, sent: Sent): Promise<ProductActed> {
    const { id, teamId } = await this.things.issue(viewer, textIn(sent, 'issue'));
    const team = sent['team'] === undefined ? undefined : await this.things.of(viewer, 'team', textIn(sent, 'team'));
    const fields = {
      ...(team !== undefined && { teamId: team }),
      ...(await this.fields(viewer, team ?? teamId, sent)),
    };
    const before = typeof sent['delegate'] === 'string' ? await this.replies.sessionsOf(id) : [];
    const { issue } = await this.changes.update(viewer, id, this.checked(IssueUpdateInput, fields));
    return this.acted(viewer, issue, before);
  }

  /** @param before the sessions that the issue had */
  private async acted(viewer: Viewer, issue: Issue, before: readonly string[]): Promise<ProductActed> {
    const sessions = issue.delegateId === null ? [] : await this.replies.sessionsOf(issue.id);
    const begun = sessions.find((id) => !before.includes(id));
    return {
      result: {
        id: issue.id,
        identifier: issue.identifier,
        url: issueUrl(webFor(this.publicUrl.base, viewer), viewer.urlKey, issue),
        ...(begun !== undefined && { session_id: begun }),
      },
      asksAgent: begun !== undefined,
      replies: this.replies.at(viewer, { issueId: issue.id }, begun),
    };
  }

  private checked<T extends object>(type: new () => T, fields: Sent): T {
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    return validateInput(type, given, this.clock.now());
  }

  /** The fields of an issue that were sent, with ids for names; null takes a value away. */
  private async fields(viewer: Viewer, teamId: string, sent: Sent): Promise<Sent> {
    const fields: Record<string, unknown> = {};
    for (const [field, key, read] of PLAIN) if (sent[field] !== undefined) fields[key] = read(sent, field);
    const refer = async (field: string, key: string, find: (name: string) => Promise<string>): Promise<void> => {
      const name = sent[field];
      if (name !== undefined) fields[key] = name === null ? null : await find(nameIn(sent, field));
    };
    const ofTeam = (what: 'state' | 'cycle' | 'label') => (name: string) =>
      this.things.ofTeam(viewer, teamId, what, name);
    await refer('state', 'stateId', ofTeam('state'));
    await refer('assignee', 'assigneeId', (name) => this.things.user(viewer, name));
    await refer('delegate', 'delegateId', async (name) => (await this.things.app(viewer, name)).id);
    await refer('project', 'projectId', (name) => this.things.of(viewer, 'project', name));
    await refer('cycle', 'cycleId', ofTeam('cycle'));
    await refer('parent', 'parentId', async (name) => (await this.things.issue(viewer, name)).id);
    if (sent['labels'] !== undefined) {
      fields['labelIds'] =
        sent['labels'] === null ? [] : await Promise.all(textsIn(sent, 'labels').map(ofTeam('label')));
    }
    return fields;
  }
}

/** Fields that are sent on under the names of the GraphQL inputs. */
const PLAIN: readonly (readonly [string, string, (sent: Sent, field: string) => unknown])[] = [
  ['title', 'title', anyTextIn],
  ['description', 'description', anyTextIn],
  ['priority', 'priority', wholeNumberIn],
  ['estimate', 'estimate', wholeNumberIn],
  ['due_date', 'dueDate', dayIn],
];
