import { Entity, ForeignKey, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { computedBy, constant, longText, moment, text } from '../../entity/fields.js';
import { typeNamed } from '../../graphql/relations.js';
import { DateTime } from '../../graphql/scalars.js';

/** Somebody of another service: what a seed document says of them (docs/reference/tracker.md#organization). */
@Entity('external_users')
@Index('external_users_page', ['organizationId', 'createdAt', 'id'])
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class ExternalUser extends rowOf({
  name: text(),
  displayName: text({ seedDefault: true }),
  email: longText({ nullable: true }),
  avatarUrl: longText({ nullable: true }),
  lastSeen: moment({ nullable: true, seed: false }),
  ...computedBy(() => typeNamed('Organization'), 'organization'),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    ExternalUser: ExternalUser;
  }
}

export const externalUsers = declareEntity('ExternalUser', ExternalUser, {
  alias: 'eu',
  isUnfiltered: true,
  seeds: { as: 'external_users', filled: ({ values }) => ({ displayName: values['name'] }) },
  title: (a) => `${a}.name`,
});
