import { BadRequestException, Injectable } from '@nestjs/common';
import { ProductActs, type ProductActed } from '../../../kernel/sandbox/product-acts.js';
import { Access } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import { notFound } from '../../values/errors.js';
import { ActingViewers } from '../acts/acting-viewers.js';
import { NamedThings } from '../acts/named-things.js';
import { optionalTextIn, textIn, type Sent } from '../acts/sent-fields.js';
import type { Reaction } from '../../reactions/reaction.entity.js';
import { ReactionsService } from './reactions.service.js';

/** How people react to issues and comments (docs/reference/acting.md#verbs). */
@Injectable()
export class ReactionActs {
  constructor(
    private readonly access: Access,
    private readonly things: NamedThings,
    private readonly reactions: ReactionsService,
    viewers: ActingViewers,
    acts: ProductActs,
  ) {
    acts.register({ issue_react: viewers.act('comment_not_found', (viewer, sent) => this.react(viewer, sent)) });
  }

  private async react(viewer: Viewer, sent: Sent): Promise<ProductActed> {
    const emoji = textIn(sent, 'emoji');
    const [issue, comment] = [optionalTextIn(sent, 'issue'), optionalTextIn(sent, 'comment')];
    if ((issue === undefined) === (comment === undefined))
      throw new BadRequestException(['one of issue, comment must be given']);
    if (comment !== undefined && !(await this.access.comments.find(viewer, comment))) throw notFound('Comment');
    const target =
      issue === undefined ? { commentId: comment } : { issueId: (await this.things.issue(viewer, issue)).id };
    const { reaction } = (await this.reactions.create(viewer, { ...target, emoji })) as { reaction?: Reaction };
    return { result: { id: reaction?.id } };
  }
}
