import { Injectable } from '@nestjs/common';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { brokenRule } from '../../values/errors.js';
import { type InitiativeRelation, initiativeRelationships } from './initiative-relation.entity.js';
import { levelsOf, lockInitiatives } from './initiative-relations.queries.js';

type Create = CreateInputOf<typeof initiativeRelationships>;
const MOST_LEVELS = 5;

/** Relations of initiatives (docs/reference/tracker.md#initiativerelation). */
@Injectable()
export class InitiativeRelationsService extends EntityService<typeof initiativeRelationships> {
  constructor(needs: EntityNeeds) {
    super(initiativeRelationships, needs);
  }

  override create(viewer: Viewer, input: Create) {
    return this.answer(viewer, async (tx) => {
      await lockInitiatives(tx, viewer.organizationId);
      return this.insert(tx, viewer, input);
    });
  }

  protected override async filled({ tx, viewer, referred }: Writing<InitiativeRelation>) {
    const idOf = (property: string) => (referred[property] as { id: string }).id;
    const { above, below, isCircle, hasParent } = await levelsOf(tx, idOf('initiativeId'), idOf('relatedInitiativeId'));
    if (isCircle) throw brokenRule('an initiative cannot be below itself');
    if (hasParent) throw brokenRule('the initiative has a parent already');
    if (above + below > MOST_LEVELS) throw brokenRule(`initiatives have at most ${MOST_LEVELS} levels`);
    return { userId: viewer.userId };
  }
}
