import type { RelationContext } from '../graphql/context.js';
import type { EntityKey, EntityRows } from '../store/entity-rows.js';
import type { Loaders } from '../query/loaders.js';
import {
  customerUrl,
  customViewUrl,
  documentUrl,
  initiativeUrl,
  issueUrl,
  labelUrl,
  projectLabelUrl,
  projectUrl,
  releaseNoteUrl,
  releasePipelineUrl,
  releaseUrl,
  teamUrl,
  userUrl,
} from '../values/urls.js';
import { type Favorite, type FavoriteTarget, FAVORITE_TARGETS } from './favorite.entity.js';

/** What shows of the thing that a favorite is of. */
interface Shown {
  readonly title: string;
  readonly url: string | null;
}

type Show<K extends EntityKey> = (
  row: EntityRows[K],
  at: { readonly web: string; readonly urlKey: string; readonly load: Loaders },
) => Shown | Promise<Shown>;

const named = (title: string, url: string): Shown => ({ title, url });

const SHOWN: { readonly [T in FavoriteTarget]?: Show<(typeof FAVORITE_TARGETS)[T]> } = {
  issueId: (issue, { web, urlKey }) => named(issue.title, issueUrl(web, urlKey, issue)),
  projectId: (project, { web, urlKey }) => named(project.name, projectUrl(web, urlKey, project)),
  cycleId: async (cycle, { web, urlKey, load }) => {
    const team = await load.row('Team', cycle.teamId);
    const title = cycle.name ?? `Cycle ${cycle.number}`;
    return { title, url: team && `${teamUrl(web, urlKey, team)}/cycle/${cycle.number}` };
  },
  customViewId: (view, { web, urlKey }) => named(view.name, customViewUrl(web, urlKey, view)),
  documentId: (document, { web, urlKey }) => named(document.title, documentUrl(web, urlKey, document)),
  labelId: (label, { web, urlKey }) => named(label.name, labelUrl(web, urlKey, label.id)),
  projectLabelId: (label, { web, urlKey }) => named(label.name, projectLabelUrl(web, urlKey, label.id)),
  userId: (user, { web, urlKey }) => named(user.name, userUrl(web, urlKey, user.displayName)),
  customerId: (customer, { web, urlKey }) => named(customer.name, customerUrl(web, urlKey, customer)),
  initiativeId: (initiative, { web, urlKey }) => named(initiative.name, initiativeUrl(web, urlKey, initiative)),
  teamId: (team, { web, urlKey }) => named(team.name, teamUrl(web, urlKey, team)),
  releaseId: (release, { web, urlKey }) => named(release.name, releaseUrl(web, urlKey, release)),
  releaseNoteId: (note, { web, urlKey }) => named(note.title ?? '', releaseNoteUrl(web, urlKey, note)),
  releasePipelineId: (pipeline, { web, urlKey }) => named(pipeline.name, releasePipelineUrl(web, urlKey, pipeline)),
};

/** `issue`, `folder`, `predefinedView` …: the property that says what it is of. */
export function kindOf(favorite: Favorite): FavoriteTarget | undefined {
  return (Object.keys(FAVORITE_TARGETS) as FavoriteTarget[]).find((property) => favorite[property] !== null);
}

/** The title and url of what it is of; what the owner no longer sees has neither. */
export async function shownOf(favorite: Favorite, load: Loaders, { web }: RelationContext): Promise<Shown> {
  if (favorite.folderName !== null) return { title: favorite.folderName, url: null };
  const { urlKey } = load.viewer;
  if (favorite.predefinedViewType !== null) {
    const team = await load.row('Team', favorite.predefinedViewTeamId);
    const at = team ? teamUrl(web, urlKey, team) : `${web}/${urlKey}`;
    return { title: favorite.predefinedViewType, url: `${at}/${favorite.predefinedViewType}` };
  }
  const kind = kindOf(favorite) as FavoriteTarget;
  const row = await load.row(FAVORITE_TARGETS[kind], favorite[kind]);
  const show = SHOWN[kind] as Show<EntityKey> | undefined;
  return row && show ? show(row as never, { web, urlKey, load }) : { title: '', url: null };
}
