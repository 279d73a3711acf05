import { registerEnumType } from '@nestjs/graphql';
import { Check, Entity, Index } from 'typeorm';
import { snakeCase } from '../../kernel/database/store-names.js';
import { declareEntity, rowOf } from '../entity/declare.js';
import { computed, computedBy, constant, longText, number, reference, text } from '../entity/fields.js';
import { seenWithAll, seenWithAny } from '../entity/owned-access.queries.js';
import { typeNamed } from '../graphql/relations.js';
import { DateTime, JSONObject } from '../graphql/scalars.js';
import { connectionsOf } from '../store/connections.js';
import type { EntityKey } from '../store/entity-rows.js';

const tab = (name: string, ...words: string[]): object => {
  const made = Object.fromEntries(words.map((word) => [word, word]));
  registerEnumType(made, { name });
  return made;
};
const InitiativeTab = tab('InitiativeTab', 'overview', 'projects', 'updates');
const PipelineTab = tab('PipelineTab', 'releaseNotes', 'releases');
const ProjectTab = tab('ProjectTab', 'customers', 'documents', 'issues', 'loops', 'updates');

/** What a favorite may be of, by the property that names it. */
export const FAVORITE_TARGETS = {
  issueId: 'Issue',
  projectId: 'Project',
  cycleId: 'Cycle',
  customViewId: 'CustomView',
  documentId: 'Document',
  labelId: 'IssueLabel',
  projectLabelId: 'ProjectLabel',
  userId: 'User',
  customerId: 'Customer',
  initiativeId: 'Initiative',
  teamId: 'Team',
  releaseId: 'Release',
  releaseNoteId: 'ReleaseNote',
  releasePipelineId: 'ReleasePipeline',
} as const satisfies Record<string, EntityKey>;

export type FavoriteTarget = keyof typeof FAVORITE_TARGETS;
const target = { nullable: true, onDelete: 'CASCADE', update: false, through: false, seed: false } as const;

/** One of a target, for each person. */
const once = (property: FavoriteTarget): ClassDecorator => {
  const column = snakeCase(property);
  return Index(`favorites_of_${column.replace(/_id$/, '')}`, [property, 'ownerId'], {
    unique: true,
    where: `${column} IS NOT NULL`,
  });
};

/** Something that a person keeps at hand, or a folder for such (docs/reference/tracker.md#favorite). */
@Entity('favorites')
@Check(
  'favorites_check',
  `num_nonnulls(folder_name, predefined_view_type, ${Object.keys(FAVORITE_TARGETS).map(snakeCase).join(', ')}) = 1`,
)
@Index('favorites_page', ['organizationId', 'ownerId', 'sortOrder', 'id'])
@Index('favorites_of_parent', ['parentId'], { where: 'parent_id IS NOT NULL' })
@once('issueId')
@once('projectId')
@once('cycleId')
@once('customViewId')
@once('documentId')
@once('labelId')
@once('projectLabelId')
@once('userId')
@once('customerId')
@once('initiativeId')
@once('teamId')
@once('releaseId')
@once('releaseNoteId')
@once('releasePipelineId')
export class Favorite extends rowOf({
  ownerId: reference('User', { create: false, update: false, onDelete: 'CASCADE', through: false }),
  parentId: reference('Favorite', { nullable: true, onDelete: 'CASCADE', through: false }),
  folderName: text({ nullable: true, filter: false }),
  sortOrder: number({ default: 0, filter: false }),
  issueId: reference('Issue', target),
  projectId: reference('Project', target),
  cycleId: reference('Cycle', target),
  customViewId: reference('CustomView', target),
  documentId: reference('Document', target),
  labelId: reference('IssueLabel', target),
  projectLabelId: reference('ProjectLabel', target),
  userId: reference('User', target),
  customerId: reference('Customer', target),
  initiativeId: reference('Initiative', target),
  teamId: reference('Team', target),
  releaseId: reference('Release', target),
  releaseNoteId: reference('ReleaseNote', target),
  releasePipelineId: reference('ReleasePipeline', target),
  predefinedViewType: longText({ nullable: true, update: false, filter: false }),
  predefinedViewTeamId: reference('Team', { ...target, onDelete: 'CASCADE' }),
  ...computedBy(() => String, 'type', 'title'),
  ...computed(() => String, 'url'),
  archivedAt: constant(() => DateTime, null),
  initiativeTab: constant(() => InitiativeTab, null),
  liveFolderDefinition: constant(() => JSONObject, null),
  liveFolderPreset: constant(() => String, null),
  pipelineTab: constant(() => PipelineTab, null),
  projectTab: constant(() => ProjectTab, null),
  projectTeam: constant(() => typeNamed('Team'), null),
  workflowDefinition: constant(() => typeNamed('WorkflowDefinition'), null),
}) {}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Favorite: Favorite;
  }
}

export const favorites = declareEntity('Favorite', Favorite, {
  alias: 'fv',
  isUnfiltered: true,
  ownedBy: 'ownerId',
  access: seenWithAll(
    ...Object.entries(FAVORITE_TARGETS).map(([property, entity]) => seenWithAny(entity, property)),
    seenWithAny('Team', 'predefinedViewTeamId'),
  ),
  event: { word: 'favorite' },
  mutations: ['create', 'update', 'delete'],
  changes: { name: 'favorite' },
});

/** What is in a folder. */
export const { children } = connectionsOf('Favorite', {
  children: {
    entity: 'Favorite' as const,
    link: (a: string, parent: string) => `${a}.parent_id = ${parent}`,
    natural: { sql: 'fv.sort_order', kind: 'number' as const, descending: false },
  },
});
