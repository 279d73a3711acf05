import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { newMark } from '../../kernel/ids/ids.js';
import { declareEntity, rowOf } from '../entity/declare.js';
import { computed, computedBy, flag, longText, moment, number, reference, text } from '../entity/fields.js';
import { accessWith, seenWithOne } from '../entity/owned-access.queries.js';
import { Color } from '../graphql/rules.js';
import { connectionsOf, of } from '../store/connections.js';
import { type FilterKeys, id, nothing, one, text as textKey, times } from '../store/filter-keys.js';
import { nameOf, ownName, timeSorts } from '../store/sort-keys.js';
import { bySlug, listedLive } from '../store/define-entity.js';
import { Stored } from '../store/row.js';
import { definePlace, placeOf } from '../entity/places.js';
import type { EntityKey } from '../store/entity-rows.js';
import { documentUrl } from '../values/urls.js';

const TITLE_MAX = 255;
const owner = { nullable: true, onDelete: 'CASCADE', owner: true, event: false } as const;
const byServer = { nullable: true, create: false, update: false } as const;
const PLACES = ['projectId', 'initiativeId', 'issueId', 'teamId', 'cycleId', 'releaseId'] as const;

/** A text of its own on a project, initiative, issue, team, cycle or release (docs/reference/tracker.md#document). */
@Entity('documents')
@Check('documents_check', 'num_nonnulls(project_id, initiative_id, issue_id, team_id, cycle_id, release_id) = 1')
@Index('documents_page', ['organizationId', 'createdAt', 'id'])
@Index('documents_slug', ['organizationId', 'slugId'], { unique: true })
@Index('documents_of_project', ['projectId', 'createdAt', 'id'], { where: 'project_id IS NOT NULL' })
@Index('documents_of_initiative', ['initiativeId', 'createdAt', 'id'], { where: 'initiative_id IS NOT NULL' })
@Index('documents_of_issue', ['issueId', 'createdAt', 'id'], { where: 'issue_id IS NOT NULL' })
@Index('documents_of_team', ['teamId'], { where: 'team_id IS NOT NULL' })
@Index('documents_of_cycle', ['cycleId'], { where: 'cycle_id IS NOT NULL' })
@Index('documents_of_template', ['lastAppliedTemplateId'], { where: 'last_applied_template_id IS NOT NULL' })
@Index('documents_of_release', ['releaseId', 'createdAt', 'id'], { where: 'release_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Document extends rowOf({
  projectId: reference('Project', { ...owner, event: undefined, backed: 'documents', through: 'ProjectFilter' }),
  initiativeId: reference('Initiative', {
    ...owner,
    event: undefined,
    backed: 'documents',
    through: 'InitiativeFilter',
  }),
  issueId: reference('Issue', { ...owner, backed: 'documents', through: 'IssueFilter' }),
  teamId: reference('Team', { ...owner, shown: false }),
  cycleId: reference('Cycle', { ...owner, shown: false, through: 'CycleFilter', seed: false }),
  releaseId: reference('Release', { ...owner, backed: 'documents', through: 'ReleaseFilter' }),
  title: text({ max: TITLE_MAX }),
  content: longText({ nullable: true, filter: false }),
  icon: longText({ nullable: true, filter: false }),
  color: longText({ nullable: true, filter: false, rules: [Color()] }),
  slugId: text({ create: false, update: false, seed: false }),
  ownerId: reference('User', { nullable: true, event: false }),
  creatorId: reference('User', { ...byServer, through: 'UserFilter', seed: 'as' }),
  updatedById: reference('User', { ...byServer, through: false, seed: false }),
  lastAppliedTemplateId: reference('Template', {
    nullable: true,
    onDelete: 'SET NULL',
    through: false,
    seed: 'template',
  }),
  sortOrder: number({ default: 0, filter: false }),
  hiddenAt: moment({ nullable: true, create: false, filter: false, seed: false }),
  trashed: flag({ nullable: true, create: false, filter: false, seed: false }),
  archivedAt: moment({ ...byServer, filter: false, seed: false }),
  ...computedBy(() => String, 'url'),
  ...computed(() => String, 'documentContentId'),
}) {
  /** Its creator, and who comments on it. */
  @Stored('uuid', { array: true, default: [] }) subscriberIds: string[];
}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Document: Document;
  }
}

export const documents = declareEntity('Document', Document, {
  alias: 'd',
  access: seenWithOne(
    accessWith('Project', 'projectId'),
    accessWith('Initiative', 'initiativeId'),
    accessWith('Issue', 'issueId'),
    accessWith('Team', 'teamId'),
    accessWith('Cycle', 'cycleId'),
    accessWith('Release', 'releaseId'),
  ),
  listed: listedLive,
  lookup: bySlug,
  sorts: {
    ...timeSorts,
    creator: nameOf('tracker_users', 'creator_id'),
    project: nameOf('projects', 'project_id'),
    title: ownName('title'),
  },
  event: { word: 'document', fires: true },
  mutations: ['create', 'update', 'unarchive'],
  seeds: [...PLACES, undefined].map((under) => ({
    ...(under !== undefined && { under }),
    as: 'documents',
    filled: ({ creatorId }: { creatorId: string }) => ({
      slugId: newMark(12),
      creatorId,
      updatedById: creatorId,
      subscriberIds: [creatorId],
    }),
  })),
  changes: { name: 'document', follows: ['subscriber_ids'] },
  title: (a) => `${a}.title`,
});

/** What filters ask of a document's content, which refers to its document alone. */
export const CONTENT_KEYS: FilterKeys = {
  id,
  ...times,
  content: textKey('content'),
  document: one('Document', 'id'),
  issue: nothing,
  project: nothing,
  initiative: nothing,
  projectMilestone: nothing,
};

/** The connections below a Document. */
export const documentConnections = connectionsOf('Document', {
  comments: of('Comment', 'document_content_id'),
  subscribers: {
    entity: 'User' as const,
    join: (parent: string) => `JOIN documents o ON o.id = ${parent}`,
    link: (a: string) => `${a}.id = ANY(o.subscriber_ids)`,
  },
});

definePlace('Document', async (tx, id, { web, urlKey }) => {
  const document = await tx.sql.findOneByOrFail(Document, { id });
  const { projectId, initiativeId, issueId, teamId, cycleId, releaseId, title } = document;
  const above: [EntityKey, string | null][] = [
    ['Project', projectId],
    ['Initiative', initiativeId],
    ['Issue', issueId],
    ['Team', teamId],
    ['Cycle', cycleId],
    ['Release', releaseId],
  ];
  const [entity, owner] = above.find(([, one]) => one !== null) as [EntityKey, string];
  const { teams, shown } = await placeOf(tx, { entity, id: owner }, { web, urlKey });
  const { project } = shown;
  const url = documentUrl(web, urlKey, document);
  return {
    teams,
    url,
    shown: {
      documentContent: { project, document: { id, title, projectId, initiativeId, ...(project ? { project } : {}) } },
    },
  };
});
