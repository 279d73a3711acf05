import { Entity, ForeignKey, Index } from 'typeorm';
import { boolean, id, one, text, times } from '../../store/filter-keys.js';
import { connectionsOf, of } from '../../store/connections.js';
import { optionalTeamAccess } from '../../store/hidden-teams.js';
import { defineEntity, listedInOptionalTeam } from '../../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';

@Entity('issue_labels')
@Index('issue_labels_workspace_name', { synchronize: false })
@Index('issue_labels_team_name', { synchronize: false })
@Index('issue_labels_page', ['organizationId', 'createdAt', 'id'])
@Index('issue_labels_of_team', ['teamId', 'createdAt', 'id'], { where: 'team_id IS NOT NULL' })
@Index('issue_labels_of_parent', ['parentId', 'createdAt', 'id'], { where: 'parent_id IS NOT NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class IssueLabel extends OwnedRow {
  /** Null: usable in every team. */
  @ForeignKey('teams', { onDelete: 'CASCADE' })
  @Stored('uuid', nullable)
  teamId: string | null;
  @Stored('text') name: string;
  @Stored('text') color: string;
  @Stored('text', nullable) description: string | null;
  @Stored('boolean', { default: false }) isGroup: boolean;
  @ForeignKey('issue_labels', { onDelete: 'SET NULL' })
  @Stored('uuid', nullable)
  parentId: string | null;
  @Stored('uuid', nullable) creatorId: string | null;
  @Stored('timestamptz', nullable) lastAppliedAt: Date | null;
  /** Who retired it: it stays where it is, but is not added any more. */
  @Stored('uuid', nullable) retiredById: string | null;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    IssueLabel: IssueLabel;
  }
}

defineEntity('IssueLabel', {
  row: IssueLabel,
  alias: 'l',
  changes: { name: 'label', follows: ['last_applied_at'] },
  title: (a) => `${a}.name`,
  access: optionalTeamAccess('teamId'),
  listed: listedInOptionalTeam,
  filter: {
    id,
    ...times,
    name: text('name'),
    isGroup: boolean('is_group'),
    creator: one('User', 'creator_id'),
    parent: one('IssueLabel', 'parent_id'),
    team: one('Team', 'team_id'),
  },
});

/** The connections below an IssueLabel. */
export const issueLabelConnections = connectionsOf('IssueLabel', {
  children: of('IssueLabel', 'parent_id'),
  issues: {
    entity: 'Issue' as const,
    link: (a: string, parent: string) => `${a}.label_ids @> ARRAY[${parent}]`,
  },
});
