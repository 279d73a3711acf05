import { Resolver } from '@nestjs/graphql';
import { WithEntity } from '../../entity/resolver.js';
import { projectHistory } from './project-history.entity.js';

/** History of projects: made by other mutations, read below its project. */
@Resolver(() => projectHistory.types.Type)
@WithEntity(projectHistory)
export class ProjectHistoryResolver {}
