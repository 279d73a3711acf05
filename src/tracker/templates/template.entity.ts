import { Entity, ForeignKey, Index } from 'typeorm';
import { optionalTeamAccess } from '../store/hidden-teams.js';
import { declareEntity, rowOf } from '../entity/declare.js';
import { computedBy, constant, given, jsonGiven, longText, moment, number, reference, text } from '../entity/fields.js';
import { typeNamed } from '../graphql/relations.js';
import { Color, JsonUpTo } from '../graphql/rules.js';
import { DateTime } from '../graphql/scalars.js';
import { connectionsOf } from '../store/connections.js';
import { page, type Page, type PageRequest, type Reader } from '../query/page.js';
import { listedInOptionalTeam } from '../store/define-entity.js';

const NAME_MAX = 255;
const DATA_MAX = 32 * 1024;
const byServer = { nullable: true, create: false, update: false, through: false } as const;

/** What new issues, projects or documents begin with (docs/reference/tracker.md#template). */
@Entity('templates')
@Index('templates_page', ['organizationId', 'sortOrder', 'id'])
@Index('templates_of_team', ['teamId'], { where: 'team_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Template extends rowOf({
  teamId: reference('Team', { nullable: true, onDelete: 'CASCADE', owner: true }),
  name: text({ max: NAME_MAX }),
  /** `issue`, `project`, `document` and others, which are kept as they are. */
  type: text({ update: false }),
  description: longText({ nullable: true, filter: false }),
  icon: longText({ nullable: true, filter: false }),
  color: longText({ nullable: true, filter: false, rules: [Color()] }),
  /** In an input an object or its text. */
  templateData: jsonGiven<Record<string, unknown>>({ rules: [JsonUpTo(DATA_MAX)], hasNames: true }),
  sortOrder: number({ default: 0, filter: false }),
  creatorId: reference('User', { ...byServer, seed: 'as' }),
  lastUpdatedById: reference('User', { ...byServer, seed: false }),
  lastAppliedAt: moment({ nullable: true, create: false, update: false, filter: false, seed: false }),
  pipelineId: given<string>(() => String),
  ...computedBy(() => typeNamed('Organization'), 'organization'),
  archivedAt: constant(() => DateTime, null),
  content: constant(() => String, null),
  inheritedFrom: constant(() => typeNamed('Template'), null),
  pipeline: constant(() => typeNamed('ReleasePipeline'), null),
}) {}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Template: Template;
  }
}

export const templates = declareEntity('Template', Template, {
  alias: 'tp',
  access: optionalTeamAccess('teamId'),
  listed: listedInOptionalTeam,
  isUnlisted: true,
  filter: { inheritedFromId: { key: { is: 'id', sql: () => 'NULL::uuid' }, input: 'IDComparator' } },
  event: { word: 'template' },
  mutations: ['create', 'update', 'delete'],
  seeds: (['teamId', undefined] as const).map((under) => ({
    ...(under !== undefined && { under }),
    as: 'templates',
    order: (a: string) => `${a}.sort_order`,
    filled: ({ creatorId, index }: { creatorId: string; index: number }) => ({
      creatorId,
      lastUpdatedById: creatorId,
      sortOrder: index,
    }),
  })),
  changes: { name: 'template', follows: ['last_applied_at'] },
  title: (a) => `${a}.name`,
});

/** A team's own. */
export const templatesOfTeam = connectionsOf('Team', {
  templates: {
    entity: 'Template' as const,
    link: (a: string, parent: string) => `${a}.team_id = ${parent}`,
    natural: { sql: 'tp.sort_order', kind: 'number' as const, descending: false },
  },
}).templates;

/** A page of them, by their `sortOrder`. */
export const inOrder = (on: Reader, request: PageRequest): Promise<Page<Template>> =>
  page(on, 'Template', {
    ...request,
    ...(!request.args.orderBy && {
      leading: {
        name: 'sortOrder',
        keys: (alias: string) => [{ sql: `${alias}.sort_order`, kind: 'number' as const, descending: false }],
      },
    }),
  });
