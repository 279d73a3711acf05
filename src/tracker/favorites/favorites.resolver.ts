import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { derived, nullable, page, relationsOf } from '../graphql/relations.js';
import type { Issue } from '../issues/issue.entity.js';
import { IssueType } from '../issues/issues.types.js';
import type { Project } from '../projects/project.entity.js';
import { ProjectType } from '../projects/projects.types.js';
import { children, type Favorite, favorites } from './favorite.entity.js';
import { kindOf, shownOf } from './favorite-titles.js';
import { favoriteOfIssue, favoriteOfProject } from './favorites.queries.js';
import { FavoritesService } from './favorites.service.js';

const { types } = favorites;

/** docs/reference/tracker.md#favorite. */
@Resolver(() => types.Type)
@WithEntity(
  favorites,
  relationsOf<Favorite>(() => types.Type, {
    type: derived((favorite) =>
      favorite.folderName !== null
        ? 'folder'
        : favorite.predefinedViewType !== null
          ? 'predefinedView'
          : kindOf(favorite)?.replace(/Id$/, ''),
    ),
    title: derived(async (favorite, load, _args, context) => (await shownOf(favorite, load, context)).title),
    url: derived(async (favorite, load, _args, context) => (await shownOf(favorite, load, context)).url),
    children: page(() => types.Connection, children),
  }),
  relationsOf<Issue>(() => IssueType, {
    favorite: nullable(
      () => types.Type,
      ({ id }, load) => load.by(favoriteOfIssue, id),
    ),
  }),
  relationsOf<Project>(() => ProjectType, {
    favorite: nullable(
      () => types.Type,
      ({ id }, load) => load.by(favoriteOfProject, id),
    ),
  }),
)
export class FavoritesResolver extends EntityResolver(favorites) {
  constructor(service: FavoritesService) {
    super(service);
  }
}
