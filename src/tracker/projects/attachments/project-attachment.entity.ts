import { Entity, ForeignKey, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, json, longText, reference, text, url } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { DateTime } from '../../graphql/scalars.js';

/** A link of a project to something elsewhere: seed documents alone bring it (docs/reference/tracker.md#project). */
@Entity('project_attachments')
@Index('project_attachments_page', ['organizationId', 'createdAt', 'id'])
@Index('project_attachments_of_project', ['projectId', 'createdAt', 'id'])
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class ProjectAttachment extends rowOf({
  projectId: reference('Project', {
    onDelete: 'CASCADE',
    owner: true,
    backed: 'attachments',
    shown: false,
    through: false,
  }),
  title: text(),
  subtitle: longText({ nullable: true }),
  url: url(),
  sourceType: longText({ nullable: true }),
  source: json({ nullable: true }),
  metadata: json({ default: {} }),
  creatorId: reference('User', { nullable: true, through: false, seed: 'as' }),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ProjectAttachment: ProjectAttachment;
  }
}

export const projectAttachments = declareEntity('ProjectAttachment', ProjectAttachment, {
  alias: 'pt',
  isUnfiltered: true,
  access: accessWith('Project', 'projectId'),
  seeds: { under: 'projectId', as: 'attachments', unique: 'url', filled: ({ creatorId }) => ({ creatorId }) },
  title: (a) => `${a}.title`,
});
