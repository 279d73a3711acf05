import { WithRelations } from '../../graphql/relations.js';
import { commentFilterRelations, commentRelations } from './comments.relations.js';
import { ownersOfCommentsRelations } from './owners-of-comments.relations.js';
import { Args, ArgsType, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Db } from '../../../kernel/database/db.js';
import { PageArgs } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { DeletePayload } from '../../graphql/payloads.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import { Access } from '../../access/access.js';
import { notFound } from '../../values/errors.js';
import type { Loaders } from '../../query/loaders.js';
import { page } from '../../query/page.js';
import type { Viewer } from '../../access/viewer.js';
import { CommentFilter } from './comments.filters.js';
import { CommentCreateInput, CommentUpdateInput } from './comments.inputs.js';
import { CommentsService } from './comments.service.js';
import { CommentConnection, CommentPayload, CommentType } from './comments.types.js';

@ArgsType()
class CommentsArgs extends PageArgs {
  @OptionalField(() => CommentFilter) filter?: CommentFilter | null;
}

/** docs/reference/tracker.md#comment. */
@Resolver(() => CommentType)
@WithRelations(commentFilterRelations, commentRelations, ...ownersOfCommentsRelations)
export class CommentsResolver {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly service: CommentsService,
  ) {}

  @Query(() => CommentType)
  comment(
    @ViewerOf() viewer: Viewer,
    @Args('id', { type: () => String, nullable: true }) id?: string | null,
    @Args('hash', { type: () => String, nullable: true }) hash?: string | null,
  ) {
    if (typeof id === 'string') return this.access.comments.visible(viewer, id);
    if (typeof hash === 'string') return this.access.comments.byHash(viewer, hash);
    throw notFound('Comment');
  }

  @Query(() => CommentConnection)
  comments(@LoadersOf() { viewer, now }: Loaders, @Args() args: CommentsArgs) {
    return page(this.db, 'Comment', { viewer, now, args });
  }

  @Mutation(() => CommentPayload)
  commentCreate(@ViewerOf() viewer: Viewer, @Args('input') input: CommentCreateInput) {
    return this.service.create(viewer, input);
  }

  @Mutation(() => CommentPayload)
  commentUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') input: CommentUpdateInput,
    @Args('skipEditedAt', { type: () => Boolean, nullable: true }) skipEditedAt?: boolean | null,
  ) {
    return this.service.update(viewer, id, input, skipEditedAt === true);
  }

  @Mutation(() => DeletePayload)
  commentDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.delete(viewer, id);
  }

  @Mutation(() => CommentPayload)
  commentResolve(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('resolvingCommentId', { type: () => String, nullable: true }) resolvingCommentId?: string | null,
  ) {
    return this.service.resolve(viewer, id, resolvingCommentId ?? undefined);
  }

  @Mutation(() => CommentPayload)
  commentUnresolve(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    return this.service.unresolve(viewer, id);
  }
}
