import { Resolver } from '@nestjs/graphql';
import { WithEntity } from '../../entity/resolver.js';
import { releaseHistory } from './release-history.entity.js';

/** History of releases: made by other mutations, read below its release. */
@Resolver(() => releaseHistory.types.Type)
@WithEntity(releaseHistory)
export class ReleaseHistoryResolver {}
