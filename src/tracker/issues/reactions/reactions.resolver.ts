import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { WithEntity } from '../../entity/resolver.js';
import { DeletePayload } from '../../graphql/payloads.js';
import { type RelationField, relationsOf, required } from '../../graphql/relations.js';
import { JSONObject } from '../../graphql/scalars.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import { CommentType } from '../comments/comments.types.js';
import { IssueType } from '../issues.types.js';
import { projectUpdates } from '../../projects/updates/project-update.entity.js';
import { initiativeUpdates } from '../../initiatives/updates/initiative-update.entity.js';
import { reactions } from '../../reactions/reaction.entity.js';
import { reactionDataOf } from '../../reactions/reaction-data.js';
import {
  reactionsOfComment,
  reactionsOfInitiativeUpdate,
  reactionsOfIssue,
  reactionsOfProjectUpdate,
} from '../../reactions/reactions.queries.js';
import { ReactionsService } from './reactions.service.js';

const { types } = reactions;

const reactionsBy = (loader: typeof reactionsOfIssue): Record<string, RelationField<{ id: string }>> => ({
  reactions: required(
    () => [types.Type],
    ({ id }, load) => load.by(loader, id),
  ),
  reactionData: required(
    () => JSONObject,
    async ({ id }, load) => reactionDataOf(await load.by(loader, id)),
  ),
});

/** docs/reference/tracker.md#reaction. */
@Resolver(() => types.Type)
@WithEntity(
  reactions,
  relationsOf(() => IssueType, reactionsBy(reactionsOfIssue)),
  relationsOf(() => CommentType, reactionsBy(reactionsOfComment)),
  relationsOf(() => projectUpdates.types.Type, reactionsBy(reactionsOfProjectUpdate)),
  relationsOf(() => initiativeUpdates.types.Type, reactionsBy(reactionsOfInitiativeUpdate)),
)
export class ReactionsResolver {
  constructor(private readonly reactions: ReactionsService) {}

  @Mutation(() => types.Payload)
  reactionCreate(@ViewerOf() viewer: Viewer, @Args('input', { type: () => types.CreateInput }) input: object): unknown {
    return this.reactions.create(viewer, input as never);
  }

  @Mutation(() => DeletePayload)
  reactionDelete(@ViewerOf() viewer: Viewer, @Args('id') id: string): unknown {
    return this.reactions.delete(viewer, id);
  }
}
