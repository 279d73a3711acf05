import { InputType, Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { OptionalField } from '../../graphql/fields.js';
import { DateComparator, IDComparator, NumberComparator } from '../../graphql/filters.js';
import { derived, filterRelations, relationsOf } from '../../graphql/relations.js';
import { isStaleReport } from '../../reports/report-rules.js';
import { initiativeUpdateUrl, initiativeUrl } from '../../values/urls.js';
import { type InitiativeUpdate, initiativeUpdates } from './initiative-update.entity.js';
import { commentCountOfInitiativeUpdate, lastUpdateOfInitiative } from '../initiatives.queries.js';
import { InitiativeUpdatesService } from './initiative-updates.service.js';

const { types } = initiativeUpdates;

@InputType({ isAbstract: true })
abstract class InitiativeUpdatesConditions {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
}

@InputType()
class InitiativeUpdatesFilter extends InitiativeUpdatesConditions {
  @OptionalField(() => [InitiativeUpdatesFilter]) and?: InitiativeUpdatesFilter[] | null;
  @OptionalField(() => [InitiativeUpdatesFilter]) or?: InitiativeUpdatesFilter[] | null;
}

@InputType()
class InitiativeUpdatesCollectionFilter extends InitiativeUpdatesConditions {
  @OptionalField(() => [InitiativeUpdatesCollectionFilter]) and?: InitiativeUpdatesCollectionFilter[] | null;
  @OptionalField(() => [InitiativeUpdatesCollectionFilter]) or?: InitiativeUpdatesCollectionFilter[] | null;
  @OptionalField(() => InitiativeUpdatesFilter) some?: InitiativeUpdatesFilter | null;
  @OptionalField(() => InitiativeUpdatesFilter) every?: InitiativeUpdatesFilter | null;
  @OptionalField(() => NumberComparator) length?: NumberComparator | null;
}

/** docs/reference/tracker.md#initiativeupdate. */
@Resolver(() => types.Type)
@WithEntity(
  initiativeUpdates,
  relationsOf<InitiativeUpdate>(() => types.Type, {
    commentCount: derived(({ id }, load) => load.by(commentCountOfInitiativeUpdate, id)),
    isStale: derived((update, load) =>
      isStaleReport(update, load.now, () => load.by(lastUpdateOfInitiative, update.initiativeId)),
    ),
    url: derived(async ({ initiativeId, slugId }, load, _args, { web }) => {
      const initiative = await load.row('Initiative', initiativeId);
      return initiative && initiativeUpdateUrl(initiativeUrl(web, load.viewer.urlKey, initiative), slugId);
    }),
  }),
  filterRelations(() => ['InitiativeFilter', 'InitiativeCollectionFilter'], {
    initiativeUpdates: () => InitiativeUpdatesCollectionFilter,
  }),
)
export class InitiativeUpdatesResolver extends EntityResolver(initiativeUpdates) {
  constructor(service: InitiativeUpdatesService) {
    super(service);
  }
}
