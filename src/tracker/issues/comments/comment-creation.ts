import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { coalesce } from '../../../kernel/database/coalesce.js';
import { Db } from '../../../kernel/database/db.js';
import { BatchedWrites, type BatchedRow } from '../../../kernel/events/batched-writes.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { newUuid } from '../../../kernel/ids/ids.js';
import { isHiddenTeam } from '../../access/hidden-teams.js';
import type { Viewer } from '../../access/viewer.js';
import { columnsOfEvent } from '../../events/sync.js';
import { entityOf, type Lookup } from '../../store/define-entity.js';
import type { Mutated } from '../../store/mutation.js';
import { brokenRule, idAlreadyUsed, unknownReference } from '../../values/errors.js';
import { CREATE_COMMENTS, CONTEXT } from './comment-creation.queries.js';
import { commentEvent, type CommentOwner, type IssueOfComment, type ProjectOfComment } from './comment-events.js';
import type { Comment } from './comment.entity.js';
import type { CommentCreateInput } from './comments.inputs.js';

/** What a new comment names. */
interface Named {
  organizationId: string;
  issue: Lookup;
  projectId: string | undefined;
  parentId: string | undefined;
}

/** Facts as JSON; null: there is no such row in the organization. */
interface Context {
  owner: string | null;
  parent: string | null;
}

type ParentFacts = Pick<Comment, 'id' | 'body' | 'userId' | 'parentId' | 'issueId' | 'projectId'> & {
  teamIds: string[];
};

type CreatedRow = BatchedRow & { syncId: string | null };

/** `commentCreate` (docs/reference/tracker.md#comment): concurrent calls of an organization share their statements. */
@Injectable()
export class CommentCreation {
  private readonly insert;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    writes: BatchedWrites,
  ) {
    this.insert = writes.verb(CREATE_COMMENTS, {
      name: 'comments.create',
      together: ({ issue_id, project_id }) => String(issue_id ?? project_id),
    });
  }

  private readonly context = coalesce(
    (named: Named[]) =>
      this.db.read<Context & Record<string, unknown>>(CONTEXT, [
        named.map(({ organizationId }) => organizationId),
        named.map(({ issue }) => (issue?.by === 'id' ? issue.value : null)),
        named.map(({ issue }) => (issue?.by === 'identifier' ? issue.value : null)),
        named.map(({ projectId }) => projectId),
        named.map(({ parentId }) => parentId),
      ]),
    { name: 'comments.context' },
  );

  async create(viewer: Viewer, input: CommentCreateInput): Promise<{ comment: Comment } & Mutated> {
    const { issueId, projectId, parentId } = input;
    const issue = typeof issueId === 'string' ? entityOf('Issue').lookup?.(issueId, viewer) : undefined;
    const named: Named = { organizationId: viewer.organizationId, issue, projectId, parentId };
    const id = input.id ?? newUuid();
    for (;;) {
      const now = this.clock.now();
      const found = await this.context(named);
      const owner = ownerOf(viewer, input, found);
      const parent = parentOf(viewer, parentId, owner, found);
      const comment = commentOf(viewer, { ...input, id }, owner, now);
      const event = commentEvent({
        web: this.publicUrl.base,
        viewer,
        action: 'create',
        at: now,
        after: comment,
        owner,
        user: { ...viewer, id: viewer.userId },
        parent,
      });
      const { outcome, syncId } = await this.insert<CreatedRow>(viewer.tenantId, {
        ...columnsOfEvent(event),
        id,
        issue_id: comment.issueId,
        project_id: comment.projectId,
        parent_id: comment.parentId,
        user_id: comment.userId,
        body: comment.body,
        quoted_text: comment.quotedText,
        created_at: comment.createdAt,
        follows: input.doNotSubscribeToIssue !== true,
        owner: found.owner,
        parent: found.parent,
      });
      if (outcome === 'taken') throw idAlreadyUsed('Comment', id);
      if (outcome === 'done') return { comment, success: true, lastSyncId: Number(syncId) };
      // what it belongs to has changed since it was read
    }
  }
}

/** @throws unknownReference */
function ownerOf(viewer: Viewer, { issueId }: CommentCreateInput, found: Context): CommentOwner {
  const { teams, ...owner } = JSON.parse(found.owner ?? '{}') as Partial<CommentOwner>;
  const isShown = teams?.some(({ id }) => !isHiddenTeam(viewer, id)) === true;
  const isIssue = typeof issueId === 'string';
  if (!isShown) throw unknownReference(isIssue ? 'issueId' : 'projectId');
  return (
    isIssue ? { issue: owner as IssueOfComment, teams } : { project: owner as ProjectOfComment, teams }
  ) as CommentOwner;
}

/**
 * The comment that is answered.
 * @throws unknownReference
 */
function parentOf(
  viewer: Viewer,
  id: string | undefined,
  owner: CommentOwner,
  found: Context,
): ParentFacts | undefined {
  if (id === undefined) return undefined;
  const parent = JSON.parse(found.parent ?? 'null') as ParentFacts | null;
  if (!parent?.teamIds.some((teamId) => !isHiddenTeam(viewer, teamId))) throw unknownReference('parentId');
  if (parent.parentId !== null) {
    throw brokenRule('parentId is a reply', 'Replies can only be made to top-level comments.');
  }
  const isSame = 'issue' in owner ? parent.issueId === owner.issue.id : parent.projectId === owner.project.id;
  if (!isSame) {
    throw brokenRule('parentId of another issue or project', 'A reply must be on the issue or project of its parent.');
  }
  return parent;
}

function commentOf(
  viewer: Viewer,
  input: CommentCreateInput & { id: string },
  owner: CommentOwner,
  now: Date,
): Comment {
  const createdAt = input.createdAt ?? now;
  return {
    id: input.id,
    organizationId: viewer.organizationId,
    issueId: 'issue' in owner ? owner.issue.id : null,
    projectId: 'project' in owner ? owner.project.id : null,
    parentId: input.parentId ?? null,
    userId: viewer.userId,
    body: input.body as string,
    quotedText: input.quotedText ?? null,
    editedAt: null,
    resolvedAt: null,
    resolvingUserId: null,
    resolvingCommentId: null,
    createdAt,
    updatedAt: createdAt,
  };
}
