import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db, type Tx } from '../../../kernel/database/db.js';
import { insertUnlessTaken } from '../../../kernel/database/insert-unless-taken.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { newUuid } from '../../../kernel/ids/ids.js';
import { Access } from '../../access/access.js';
import { brokenRule, forbidden, idAlreadyUsed, unknownReference } from '../../values/errors.js';
import { mutate, type Mutated } from '../../events/mutation.js';
import { Reaction } from '../../reactions/reaction.entity.js';
import { Comment } from './comment.entity.js';
import { differences } from '../../store/differences.js';
import type { EventAction } from '../../events/tracker-events.js';
import { botActorOf } from '../../access/bot-actor.js';
import type { Viewer } from '../../access/viewer.js';
import { agentsHearComment } from '../agents/agent-starts.js';
import { tell } from '../../events/notify.js';
import { Document } from '../../documents/document.entity.js';
import { CommentOwners } from './comment-owners.js';
import { commentEvent, type CommentOwner, type CommentContext } from './comment-events.js';
import { newsOfEdit, newsOfNew, newsOfResolution } from './comment-news.js';
import { follow } from '../issues.queries.js';
import type { CommentCreateInput, CommentUpdateInput } from './comments.inputs.js';
import { forgetComments, holdThread, usersById } from './comments.queries.js';
import { webFor } from '../../values/urls.js';

/** docs/reference/tracker.md#comment. */
@Injectable()
export class CommentsService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
    private readonly owners: CommentOwners,
  ) {}

  create(viewer: Viewer, input: CommentCreateInput): Promise<{ comment: Comment } & Mutated> {
    return mutate(this.db, viewer, async (tx) => ({ comment: await this.make(tx, viewer, input) }));
  }

  /** Creates a comment in a transaction of something else. */
  async make(tx: Tx, viewer: Viewer, input: CommentCreateInput): Promise<Comment> {
    const botActor = botActorOf(viewer, input);
    const owner = await this.owners.of(tx, viewer, input);
    const parent = await this.parent(tx, viewer, input.parentId, owner);
    const now = this.clock.now();
    const id = input.id ?? newUuid();
    const createdAt = input.createdAt ?? now;
    const issueId = 'issue' in owner ? owner.issue.id : null;
    const comment = await insertUnlessTaken(tx, Comment, {
      id,
      organizationId: viewer.organizationId,
      issueId,
      projectId: 'project' in owner ? owner.project.id : null,
      projectUpdateId: 'projectUpdate' in owner ? owner.projectUpdate.id : null,
      ...('ids' in owner && owner.ids),
      parentId: parent?.id ?? null,
      userId: viewer.userId,
      body: input.body as string,
      quotedText: input.quotedText ?? null,
      botActor,
      createdAt,
      updatedAt: createdAt,
    });
    if (!comment) throw idAlreadyUsed('Comment', id);
    if (issueId !== null && input.doNotSubscribeToIssue !== true) await follow(tx, issueId, viewer.userId);
    if (comment.documentContentId !== null) await followDocument(tx, comment.documentContentId, viewer.userId);
    const setting = { viewer, web: webFor(this.publicUrl.base, viewer), at: now };
    await tell(tx, [newsOfNew(setting, owner, comment, parent)]);
    this.recordEvent(tx, viewer, 'create', now, comment, { owner, user: { ...viewer, id: viewer.userId }, parent });
    if ('issue' in owner) {
      const place = { issue: owner.issue, team: owner.teams[0] };
      await agentsHearComment(tx, setting, place, comment, parent);
    }
    return comment;
  }

  update(
    viewer: Viewer,
    id: string,
    input: CommentUpdateInput,
    skipEditedAt: boolean,
  ): Promise<{ comment: Comment } & Mutated> {
    return this.change(viewer, id, async (comment, now) => {
      if (comment.userId !== viewer.userId) throw forbidden('You can only edit your own comments.');
      const change = differences(comment, { body: input.body, quotedText: input.quotedText } as Partial<Comment>);
      const isChanged = Object.keys(change).length > 0;
      return isChanged && !skipEditedAt ? { ...change, editedAt: now } : change;
    });
  }

  resolve(viewer: Viewer, id: string, resolvingCommentId: string | undefined): Promise<{ comment: Comment } & Mutated> {
    return this.change(viewer, id, async (comment, now, tx) => {
      if (comment.parentId !== null) {
        throw brokenRule('comment is a reply', 'Only top-level comments can be resolved.');
      }
      if (resolvingCommentId !== undefined) {
        const resolving = await this.access.comments.find(viewer, resolvingCommentId, tx, 'use');
        if (!resolving) throw unknownReference('resolvingCommentId');
        if (resolving.parentId !== comment.id) {
          throw brokenRule(
            'resolvingCommentId is not a reply',
            'A comment can only be resolved by one of its replies.',
          );
        }
      }
      return {
        resolvedAt: now,
        resolvingUserId: viewer.userId,
        resolvingCommentId: resolvingCommentId ?? null,
      };
    });
  }

  unresolve(viewer: Viewer, id: string): Promise<{ comment: Comment } & Mutated> {
    return this.change(viewer, id, () =>
      Promise.resolve({ resolvedAt: null, resolvingUserId: null, resolvingCommentId: null }),
    );
  }

  /** Replies are deleted with it, each with its own event. */
  delete(viewer: Viewer, id: string): Promise<{ entityId: string } & Mutated> {
    return mutate(this.db, viewer, async (tx) => {
      const now = this.clock.now();
      const comment = await this.access.comments.visible(viewer, id, tx);
      if (comment.userId !== viewer.userId && !viewer.admin) {
        throw forbidden('You can only delete your own comments.');
      }
      const thread = await holdThread(tx, comment.id);
      const context = await this.context(tx, viewer, comment, thread);
      const ids = thread.map((gone) => gone.id);
      await forgetComments(tx, ids, now);
      await tx.sql.delete(Comment, { id: In(ids) });
      for (const gone of thread) this.recordEvent(tx, viewer, 'remove', now, gone, context(gone));
      return { entityId: comment.id };
    });
  }

  private change(
    viewer: Viewer,
    id: string,
    work: (comment: Comment, now: Date, tx: Tx) => Promise<Partial<Comment>>,
  ): Promise<{ comment: Comment } & Mutated> {
    return mutate(this.db, viewer, async (tx) => {
      const now = this.clock.now();
      const before = await this.access.comments.forUpdate(tx, viewer, id);
      const change = differences(before, await work(before, now, tx));
      if (Object.keys(change).length === 0) return { comment: before };
      const values = { ...change, updatedAt: now };
      await tx.sql.update(Comment, { id: before.id }, values);
      const comment = { ...before, ...values };
      const context = await this.context(tx, viewer, comment, [comment]);
      const shown = context(comment);
      const setting = { viewer, web: webFor(this.publicUrl.base, viewer), at: now };
      if (comment.body !== before.body) await tell(tx, [newsOfEdit(setting, shown, comment, before)]);
      if (comment.resolvedAt !== null && before.resolvedAt === null)
        await tell(tx, [newsOfResolution(setting, shown, comment)]);
      this.recordEvent(tx, viewer, 'update', now, comment, shown, before);
      return { comment };
    });
  }

  private recordEvent(
    tx: Tx,
    viewer: Viewer,
    action: EventAction,
    at: Date,
    after: Comment,
    context: CommentContext,
    before?: Comment,
  ): void {
    const web = webFor(this.publicUrl.base, viewer);
    tx.record(commentEvent({ web, viewer, action, at, after, ...context, ...(before && { before }) }));
  }

  /**
   * The comment that is answered, locked against deletion.
   * @throws unknownReference
   */
  private async parent(
    tx: Tx,
    viewer: Viewer,
    parentId: string | undefined,
    owner: CommentOwner,
  ): Promise<Comment | undefined> {
    if (parentId === undefined) return undefined;
    const parent = await this.access.comments.find(viewer, parentId, tx, 'use');
    if (!parent) throw unknownReference('parentId');
    if (parent.parentId !== null) {
      throw brokenRule('parentId is a reply', 'Replies can only be made to top-level comments.');
    }
    const isSame =
      'issue' in owner
        ? parent.issueId === owner.issue.id
        : 'project' in owner
          ? parent.projectId === owner.project.id
          : 'projectUpdate' in owner
            ? parent.projectUpdateId === owner.projectUpdate.id
            : Object.entries(owner.ids).every(([property, id]) => parent[property as 'initiativeId'] === id);
    if (!isSame) {
      throw brokenRule(
        'parentId of another issue or project',
        'A reply must be on the issue or project of its parent.',
      );
    }
    return parent;
  }

  /** Objects that events of one thread's comments show; the thread's own comments are loaded already. */
  private async context(
    tx: Tx,
    viewer: Viewer,
    comment: Comment,
    thread: readonly Comment[],
  ): Promise<(comment: Comment) => CommentContext> {
    const { parentId } = comment;
    const owner = await this.owners.of(tx, viewer, comment);
    const users = await usersById(tx, [...new Set(thread.flatMap(({ userId }) => userId ?? []))]);
    const reactions = await tx.sql.find(Reaction, {
      where: { commentId: In(thread.map(({ id }) => id)) },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    const above = parentId === null ? undefined : await this.access.comments.find(viewer, parentId, tx);
    return (comment) => ({
      owner,
      user: users.find(({ id }) => id === comment.userId),
      reactions: reactions.filter(({ commentId }) => commentId === comment.id),
      parent: thread.find(({ id }) => id === comment.parentId) ?? (comment.parentId === null ? undefined : above),
    });
  }
}

/** Who comments on a document subscribes to it. */
async function followDocument(tx: Tx, id: string, userId: string): Promise<void> {
  const lock = { mode: 'for_no_key_update' } as const;
  const { subscriberIds } = await tx.sql.findOneOrFail(Document, { where: { id }, lock });
  if (!subscriberIds.includes(userId))
    await tx.sql.update(Document, { id }, { subscriberIds: [...subscriberIds, userId] });
}
