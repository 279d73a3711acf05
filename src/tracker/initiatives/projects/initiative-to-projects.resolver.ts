import { Resolver } from '@nestjs/graphql';
import { GraphQLString } from 'graphql';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { relationsOf, required } from '../../graphql/relations.js';
import { type InitiativeToProject, initiativeProjects } from './initiative-to-project.entity.js';
import { InitiativeToProjectsService } from './initiative-to-projects.service.js';

const { types } = initiativeProjects;

/** docs/reference/tracker.md#initiativetoproject. */
@Resolver(() => types.Type)
@WithEntity(
  initiativeProjects,
  relationsOf<InitiativeToProject>(() => types.Type, {
    // a number in, a string out
    sortOrder: required(
      () => GraphQLString,
      ({ sortOrder }) => String(sortOrder),
    ),
  }),
)
export class InitiativeToProjectsResolver extends EntityResolver(initiativeProjects) {
  constructor(service: InitiativeToProjectsService) {
    super(service);
  }
}
