import { Check, Entity, ForeignKey, Index } from 'typeorm';
import { optionalTeamAccess } from '../store/hidden-teams.js';
import { defineEntity } from '../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../store/row.js';

@Entity('tracker_webhooks')
@Check('tracker_webhooks_check', 'all_public_teams = (team_id IS NULL)')
@Index('tracker_webhooks_page', ['organizationId', 'createdAt', 'id'])
@Index('tracker_webhooks_of_application', ['applicationId'], { where: 'application_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Webhook extends OwnedRow {
  @Stored('text') url: string;
  @Stored('text', nullable) label: string | null;
  @Stored('text', { array: true }) resourceTypes: string[];
  @ForeignKey('teams', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  teamId: string | null;
  @Stored('boolean') allPublicTeams: boolean;
  @Stored('boolean', { default: true }) enabled: boolean;
  @Stored('text') secret: string;
  @Stored('uuid', nullable) creatorId: string | null;
  /** The application that it came with. */
  @Stored('uuid', nullable) applicationId: string | null;
}

declare module '../store/entity-rows.js' {
  interface EntityRows {
    Webhook: Webhook;
  }
}

defineEntity('Webhook', {
  row: Webhook,
  alias: 'h',
  access: optionalTeamAccess('teamId'),
});
