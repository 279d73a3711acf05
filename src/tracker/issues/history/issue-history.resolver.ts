import { Resolver } from '@nestjs/graphql';
import { WithEntity } from '../../entity/resolver.js';
import { derived, type RelationField, relationsOf } from '../../graphql/relations.js';
import type { EntityKey } from '../../store/entity-rows.js';
import { isHiddenTeam } from '../../store/hidden-teams.js';
import { type IssueChange, type IssueHistory, issueHistory } from './issue-history.entity.js';

type Fields = Record<string, RelationField<IssueHistory>>;

const { types } = issueHistory;

const said = (entry: IssueHistory, name: string): unknown => entry.changes[name] ?? null;
const ids = (entry: IssueHistory, name: string): string[] => (entry.changes[name] ?? []) as string[];

const plain = (...names: string[]): Fields =>
  Object.fromEntries(names.map((name) => [name, derived((entry) => said(entry, name))]));

/** `fromState` and `fromStateId`, `toState` and `toStateId`; null where it is gone, or hidden from the caller. */
const both = (name: string, entity: EntityKey): Fields => ({
  ...plain(`from${name}Id`, `to${name}Id`),
  ...one(name, entity),
});

const one = (name: string, entity: EntityKey): Fields =>
  Object.fromEntries(
    [`from${name}`, `to${name}`].map((field) => [
      field,
      derived((entry, load) => load.row(entity, said(entry, `${field}Id`) as string | null)),
    ]),
  );

/** What the ids of a list name; null where nothing is in it. */
const listed = (entity: EntityKey, name: string) =>
  derived<IssueHistory>((entry, load) => {
    const known = ids(entry, name);
    return known.length === 0 ? null : load.rowsById(entity, known);
  });

/** The ids of releases, without those of pipelines that are hidden from the caller; null where there are no others. */
const releaseIds = (name: string) =>
  derived<IssueHistory>(async (entry, load) => {
    const seen = await load.rowsById('Release', ids(entry, name));
    return seen.length === 0 ? null : seen.map(({ id }) => id);
  });

/** Without relations to issues of teams that the caller does not see; null where there are no others. */
const relationChanges = derived<IssueHistory>(({ changes }, load) => {
  const all = changes['relationChanges'] as IssueChange['relationChanges'];
  const seen = all?.filter(({ teamId }) => teamId === undefined || !isHiddenTeam(load.viewer, teamId)) ?? [];
  return seen.length > 0 ? seen : null;
});

const actor = derived<IssueHistory>((entry, load) =>
  entry.actorId === null ? null : load.rowsById('User', [entry.actorId]),
);

/** History of issues (docs/reference/tracker.md#issuehistory): made by other mutations, read below its issue. */
@Resolver(() => types.Type)
@WithEntity(
  issueHistory,
  relationsOf<IssueHistory>(() => types.Type, {
    ...plain('fromTitle', 'toTitle', 'fromPriority', 'toPriority', 'fromEstimate', 'toEstimate'),
    ...plain('fromDueDate', 'toDueDate', 'updatedDescription', 'archived', 'trashed'),
    relationChanges,
    ...plain('addedLabelIds', 'removedLabelIds', 'attachmentId', 'botActor'),
    addedToReleaseIds: releaseIds('addedToReleaseIds'),
    removedFromReleaseIds: releaseIds('removedFromReleaseIds'),
    ...both('State', 'WorkflowState'),
    ...both('Assignee', 'User'),
    ...one('Delegate', 'User'),
    ...both('Cycle', 'Cycle'),
    ...both('Project', 'Project'),
    ...one('ProjectMilestone', 'ProjectMilestone'),
    ...both('Parent', 'Issue'),
    ...both('Team', 'Team'),
    addedLabels: listed('IssueLabel', 'addedLabelIds'),
    removedLabels: listed('IssueLabel', 'removedLabelIds'),
    addedToReleases: listed('Release', 'addedToReleaseIds'),
    removedFromReleases: listed('Release', 'removedFromReleaseIds'),
    attachment: derived((entry, load) => load.row('Attachment', said(entry, 'attachmentId') as string | null)),
    actors: actor,
    descriptionUpdatedBy: derived((entry, load, args, context, info) =>
      entry.changes['updatedDescription'] === true ? actor.resolve(entry, load, args, context, info) : null,
    ),
  }),
)
export class IssueHistoryResolver {}
