import { Resolver } from '@nestjs/graphql';
import { WithEntity } from '../../entity/resolver.js';
import { initiativeHistory } from './initiative-history.entity.js';

/** History of initiatives: made by other mutations, read below its initiative. */
@Resolver(() => initiativeHistory.types.Type)
@WithEntity(initiativeHistory)
export class InitiativeHistoryResolver {}
