import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, flag, given, json, longText, reference, text, url } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { NullableStringComparator, SourceTypeComparator } from '../../graphql/filters.js';
import { typeNamed } from '../../graphql/relations.js';
import { HttpUrl, JsonUpTo, Text } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { connectionsOf } from '../../store/connections.js';

export const TITLE_MAX = 500;
const URL_MAX = 2_048;
const JSON_MAX = 32 * 1024;
const BODY_MAX = 250_000;

/** A link of an issue to something elsewhere; an issue has one for a url (docs/reference/tracker.md#attachment). */
@Entity('attachments')
@Index('attachments_page', ['organizationId', 'createdAt', 'id'])
@Index('attachments_of_issue', ['issueId', 'createdAt', 'id'])
export class Attachment extends rowOf({
  // links of one issue wait for each other, so that a url is there once
  issueId: reference('Issue', {
    onDelete: 'CASCADE',
    owner: true,
    hold: 'change',
    backed: 'attachments',
    having: 'attachments',
    through: false,
    update: false,
  }),
  creatorId: reference('User', { nullable: true, create: false, update: false, seed: false }),
  title: text({ max: TITLE_MAX, update: 'required' }),
  subtitle: longText({ nullable: true, filter: NullableStringComparator }),
  url: url({ max: URL_MAX, update: false }),
  sourceType: text({
    nullable: true,
    default: 'unknown',
    create: false,
    update: false,
    filter: SourceTypeComparator,
  }),
  source: json({ nullable: true, create: false, update: false }),
  metadata: json({ default: {}, rules: [JsonUpTo(JSON_MAX)] }),
  groupBySource: flag({ default: false, update: false, filter: false }),
  iconUrl: given<string>(() => String, { rules: [HttpUrl()], update: true }),
  commentBody: given<string>(() => String, { rules: [Text(BODY_MAX)] }),
  createAsUser: given<string>(() => String),
  displayIconUrl: given<string>(() => String),
  bodyData: constant(() => String, null),
  externalUserCreator: constant(() => typeNamed('ExternalUser'), null),
  originalIssue: constant(() => typeNamed('Issue'), null),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    Attachment: Attachment;
  }
}

export const attachments = declareEntity('Attachment', Attachment, {
  alias: 'at',
  access: accessWith('Issue', 'issueId'),
  event: { word: 'attachment', fires: true },
  mutations: ['create', 'update', 'delete'],
  seeds: { under: 'issueId', as: 'attachments', unique: 'url', filled: ({ creatorId }) => ({ creatorId }) },
  changes: { name: 'attachment' },
  title: (a) => `${a}.title`,
});

/** Those that an issue had once: attachments do not move here. */
export const { formerAttachments } = connectionsOf('Issue', {
  formerAttachments: { entity: 'Attachment' as const, link: () => 'FALSE' },
});
