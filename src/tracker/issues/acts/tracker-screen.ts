import { Injectable } from '@nestjs/common';
import { In, IsNull, type EntityManager } from 'typeorm';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db } from '../../../kernel/database/db.js';
import { ProductActs } from '../../../kernel/sandbox/product-acts.js';
import { Access } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { User } from '../../store/user.entity.js';
import { WorkflowState } from '../../teams/states/workflow-state.entity.js';
import { AgentActivity } from '../agents/agent-activity.entity.js';
import { AgentSession } from '../agents/agent-session.entity.js';
import { Attachment } from '../attachments/attachment.entity.js';
import { Comment } from '../comments/comment.entity.js';
import type { Issue } from '../issue.entity.js';
import { IssueLabel } from '../labels/issue-label.entity.js';
import { IssueRelation } from '../relations/issue-relation.entity.js';
import { shownActivity } from './act-replies.js';
import { ActingViewers } from './acting-viewers.js';
import { NamedThings } from './named-things.js';
import { optionalTextIn } from './sent-fields.js';

/** The most comments, sessions, attachments and relations that a screen shows, and activities: the newest. */
const SHOWN = 250;
const ACTIVITIES_SHOWN = 1_000;

type Json = Record<string, unknown>;

/** What a person sees of the tracker now (docs/reference/acting.md#tracker-screen). */
@Injectable()
export class TrackerScreen {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly access: Access,
    private readonly things: NamedThings,
    viewers: ActingViewers,
    acts: ProductActs,
  ) {
    acts.registerScreen('tracker', async (person, query) => {
      const viewer = await viewers.of(person);
      const issue = optionalTextIn(query, 'issue');
      return issue === undefined ? {} : { issue: await this.issue(viewer, await this.things.issue(viewer, issue)) };
    });
  }

  private async issue(viewer: Viewer, issue: Issue): Promise<Json> {
    const { id: issueId } = issue;
    const newest = { order: { createdAt: 'DESC', id: 'DESC' }, take: SHOWN } as const;
    const found = await this.db.load(async (entities) => ({
      state: await entities.findOneBy(WorkflowState, { id: issue.stateId }),
      labels: await entities.findBy(IssueLabel, { id: In([...issue.labelIds]) }),
      comments: (await entities.find(Comment, { where: { issueId }, ...newest })).reverse(),
      sessions: await entities.find(AgentSession, { where: { issueId }, ...newest }),
      attachments: await entities.find(Attachment, { where: { issueId }, ...newest }),
      relations: await entities.find(IssueRelation, {
        where: [{ issueId }, { relatedIssueId: issueId }],
        ...newest,
      }),
    }));
    const { state, labels, comments, sessions, attachments, relations } = found;
    const others = relations.map((relation) => otherEnd(relation, issueId));
    const [activities, users, seen] = await Promise.all([
      this.db.load((entities) => activitiesOf(entities, sessions)),
      this.names([
        issue.assigneeId,
        issue.delegateId,
        ...sessions.map(({ appUserId }) => appUserId),
        ...authors(comments),
      ]),
      this.access.issues.findMany(viewer, others),
    ]);
    const nameOf = (id: string | null): string | null => (id === null ? null : (users.get(id) ?? null));
    const identifiers = new Map(seen.map(({ id, identifier }) => [id, identifier]));
    return {
      id: issueId,
      identifier: issue.identifier,
      title: issue.title,
      state: state?.name ?? null,
      assignee: nameOf(issue.assigneeId),
      delegate: nameOf(issue.delegateId),
      labels: labels.map(({ name }) => name).toSorted(),
      sessions: sessions.map((session) => this.session(session, activities.get(session.id) ?? [], nameOf)),
      relations: relations.flatMap((relation) => {
        const identifier = identifiers.get(otherEnd(relation, issueId));
        return identifier === undefined
          ? []
          : [{ id: relation.id, type: typeSeen(relation, issueId), issue: identifier }];
      }),
      attachments: attachments.map(({ id, title, subtitle, url }) => ({ id, title, subtitle, url })),
      comments: comments.map((comment) => ({
        id: comment.id,
        parent_id: comment.parentId,
        user: nameOf(comment.userId) ?? (comment.botActor as { name?: string } | null)?.name ?? null,
        body: comment.body,
        resolved: comment.resolvedAt !== null,
        at: comment.createdAt,
      })),
    };
  }

  private session(session: AgentSession, said: readonly AgentActivity[], nameOf: (id: string) => string | null): Json {
    const { id, status, plan, externalUrls, staleAt } = session;
    return {
      id,
      app: nameOf(session.appUserId),
      status,
      unresponsive: isUnresponsive(session, said),
      stale_in_ms: staleAt === null ? null : Math.max(0, staleAt.getTime() - this.clock.now().getTime()),
      dismissed: session.dismissedAt !== null,
      summary: session.summary,
      at: session.createdAt,
      plan,
      external_urls: externalUrls,
      activities: said.map((activity) => shownActivity({ ...activity })),
    };
  }

  private async names(ids: readonly (string | null)[]): Promise<ReadonlyMap<string, string>> {
    const known = [...new Set(ids.filter((id) => id !== null))];
    const users = await this.db.load((entities) => entities.findBy(User, { id: In(known) }));
    return new Map(users.map(({ id, displayName }) => [id, displayName]));
  }
}

const authors = (comments: readonly Comment[]): (string | null)[] => comments.map(({ userId }) => userId);

const otherEnd = ({ issueId, relatedIssueId }: IssueRelation, from: string): string =>
  issueId === from ? relatedIssueId : issueId;

/** As the issue sees it: what another one blocks is `blocked_by` it. */
function typeSeen({ issueId, type }: IssueRelation, from: string): string {
  if (issueId === from) return type;
  return type === 'blocks' ? 'blocked_by' : type === 'duplicate' ? 'duplicated_by' : type;
}

/** It was told of the session, its time is over, and it has neither said anything nor given a url. */
function isUnresponsive(session: AgentSession, said: readonly AgentActivity[]): boolean {
  const { status, creatorId, startedAt, dismissedAt, unresponsiveAt, externalUrls } = session;
  // what it has said may be over and shown no longer
  const isSilent = startedAt === null && externalUrls.length === 0 && said.every(({ type }) => type === 'prompt');
  return status === 'pending' && creatorId !== null && dismissedAt === null && unresponsiveAt === null && isSilent;
}

/** What was said in sessions and is still shown, the oldest first. */
async function activitiesOf(
  entities: EntityManager,
  sessions: readonly AgentSession[],
): Promise<ReadonlyMap<string, readonly AgentActivity[]>> {
  const rows = await entities.find(AgentActivity, {
    where: { agentSessionId: In(sessions.map(({ id }) => id)), archivedAt: IsNull() },
    order: { createdAt: 'DESC', id: 'DESC' },
    take: ACTIVITIES_SHOWN,
  });
  const oldestFirst = rows.toReversed();
  return new Map(sessions.map(({ id }) => [id, oldestFirst.filter(({ agentSessionId }) => agentSessionId === id)]));
}
