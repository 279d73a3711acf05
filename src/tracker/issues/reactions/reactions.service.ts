import { Injectable } from '@nestjs/common';
import type { FindOptionsWhere } from 'typeorm';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { forbidden, invalidArgument } from '../../values/errors.js';
import type { Place } from '../../entity/places.js';
import { userData } from '../../events/user-data.js';
import { User } from '../../store/user.entity.js';
import type { Tx } from '../../../kernel/database/db.js';
import { tell } from '../../events/notify.js';
import { newsOfReaction } from '../comments/comment-news.js';
import { Comment } from '../comments/comment.entity.js';
import { CommentOwners } from '../comments/comment-owners.js';
import { emojiName } from './emoji-names.js';
import { Reaction, reactions } from '../../reactions/reaction.entity.js';
import { webFor } from '../../values/urls.js';

type Create = CreateInputOf<typeof reactions>;

/** Reactions (docs/reference/tracker.md#reaction). */
@Injectable()
export class ReactionsService extends EntityService<typeof reactions> {
  constructor(
    needs: EntityNeeds,
    private readonly owners: CommentOwners,
  ) {
    super(reactions, needs);
  }

  /** The same of a person is answered as it is. */
  override create(viewer: Viewer, input: Create) {
    const emoji = emojiName(input.emoji);
    if (emoji === undefined) throw invalidArgument('emoji', 'isEmoji', 'emoji must be an emoji or the name of one');
    return this.answer(viewer, async (tx) => {
      const referred = await this.refer(tx, viewer, input);
      const { id: _, ...same } = { ...this.columnsOf(input, referred), emoji, userId: viewer.userId };
      const known = await tx.sql.findOneBy(Reaction, same as FindOptionsWhere<Reaction>);
      if (known) return known;
      const reaction = await this.insert(tx, viewer, { ...input, emoji });
      await this.tellAuthor(tx, viewer, reaction, referred['commentId'] as Comment | undefined);
      return reaction;
    });
  }

  private async tellAuthor(tx: Tx, viewer: Viewer, reaction: Reaction, comment: Comment | undefined): Promise<void> {
    const { clock, publicUrl } = this.needs;
    const owner = await this.owners.of(tx, viewer, comment ?? reaction);
    const parent = comment?.parentId ? await tx.sql.findOneBy(Comment, { id: comment.parentId }) : null;
    const setting = { viewer, web: webFor(publicUrl.base, viewer), at: clock.now() };
    const on = comment && { comment, parent: parent ?? undefined };
    await tell(tx, [newsOfReaction(setting, owner, reaction.emoji, on)]);
  }

  protected override async filled({ viewer }: Writing<Reaction>) {
    return { userId: viewer.userId };
  }

  protected override async retire({ viewer }: Writing<Reaction>, { userId }: Reaction): Promise<void> {
    if (userId !== viewer.userId) throw forbidden('You can only delete your own reactions.');
  }

  protected override async told({ tx, viewer }: Writing<Reaction>, reaction: Reaction, place: Place) {
    const user = await tx.sql.findOneBy(User, { id: reaction.userId as string });
    const shown = userData(webFor(this.needs.publicUrl.base, viewer), viewer.urlKey, user ?? undefined);
    // the official client declares no update of an initiative here
    const { initiativeUpdate: _, ...on } = place.shown;
    return { ...reactions.data(reaction), ...on, user: shown };
  }
}
