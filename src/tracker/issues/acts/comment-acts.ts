import { BadRequestException, Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock/clock.js';
import { RestError } from '../../../kernel/http/http-error.js';
import { ProductActs, type ProductActed } from '../../../kernel/sandbox/product-acts.js';
import { Access } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { validateInput } from '../../graphql/validate.js';
import type { Comment } from '../comments/comment.entity.js';
import { CommentCreateInput, CommentUpdateInput } from '../comments/comments.inputs.js';
import { CommentsService } from '../comments/comments.service.js';
import type { Issue } from '../issue.entity.js';
import { ActReplies, type ActPlace } from './act-replies.js';
import { ActingViewers } from './acting-viewers.js';
import { NamedThings } from './named-things.js';
import { optionalTextIn, textIn, type Sent } from './sent-fields.js';

/** What a comment is on: one of these is sent. */
const PLACES = ['issue', 'project', 'document', 'update'] as const;

/** What people say in comments, and do with them (docs/reference/acting.md#verbs). */
@Injectable()
export class CommentActs {
  constructor(
    private readonly clock: Clock,
    private readonly access: Access,
    private readonly things: NamedThings,
    private readonly comments: CommentsService,
    private readonly replies: ActReplies,
    viewers: ActingViewers,
    acts: ProductActs,
  ) {
    const changed = (change: (viewer: Viewer, id: string, sent: Sent) => Promise<unknown>) =>
      viewers.act('comment_not_found', async (viewer, sent) => {
        const id = textIn(sent, 'comment');
        await change(viewer, id, sent);
        return { result: { id } };
      });
    acts.register({
      comment: viewers.act('comment_not_found', (viewer, sent) => this.comment(viewer, sent)),
      comment_edit: changed((viewer, id, sent) => {
        const input = validateInput(CommentUpdateInput, { body: textIn(sent, 'body') }, this.clock.now());
        return this.comments.update(viewer, id, input, false);
      }),
      comment_delete: changed((viewer, id) => this.comments.delete(viewer, id)),
      resolve: changed((viewer, id) => this.comments.resolve(viewer, id, undefined)),
      unresolve: changed((viewer, id) => this.comments.unresolve(viewer, id)),
    });
  }

  private async comment(viewer: Viewer, sent: Sent): Promise<ProductActed> {
    const { owner, place, issue } = await this.placeOf(viewer, sent);
    const parentId = optionalTextIn(sent, 'parent');
    if (parentId !== undefined && !(await this.access.comments.find(viewer, parentId)))
      throw new RestError(404, 'comment_not_found');
    const mention = optionalTextIn(sent, 'mention');
    const mentioned = mention === undefined ? '' : `@${(await this.things.app(viewer, mention)).displayName} `;
    const fields = {
      ...(sent['id'] !== undefined && { id: sent['id'] }),
      ...owner,
      ...(parentId !== undefined && { parentId }),
      body: `${mentioned}${textIn(sent, 'body')}`,
    };
    const { comment } = await this.comments.create(viewer, validateInput(CommentCreateInput, fields, this.clock.now()));
    const asked = issue && (await this.replies.sessionAsked(comment.id));
    return {
      result: {
        id: comment.id,
        ...(issue && { issue_id: issue.id, identifier: issue.identifier }),
        ...(asked !== undefined && { session_id: asked }),
      },
      asksAgent: asked !== undefined,
      replies: this.replies.at(viewer, { ...place, threadId: threadOf(comment) }, asked),
    };
  }

  /** @throws BadRequestException unless one is sent @throws RestError 404 */
  private async placeOf(
    viewer: Viewer,
    sent: Sent,
  ): Promise<{ owner: object; place: Omit<ActPlace, 'threadId'>; issue?: Issue }> {
    const given = PLACES.filter((name) => sent[name] !== undefined && sent[name] !== null);
    if (given.length !== 1) throw new BadRequestException([`one of ${PLACES.join(', ')} must be given`]);
    const [what] = given as [(typeof PLACES)[number]];
    const name = textIn(sent, what);
    if (what === 'issue') {
      const issue = await this.things.issue(viewer, name);
      return { owner: { issueId: issue.id }, place: { issueId: issue.id }, issue };
    }
    const id = what === 'update' ? name : await this.things.of(viewer, what, name);
    return { owner: { [OWNER[what]]: id }, place: {} };
  }
}

const OWNER = { project: 'projectId', document: 'documentContentId', update: 'projectUpdateId' } as const;

const threadOf = ({ id, parentId }: Comment): string => parentId ?? id;
