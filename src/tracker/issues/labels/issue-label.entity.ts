import { Entity } from 'typeorm';
import { boolean, id, one, text, times } from '../../query/filter/keys.js';
import { connectionsOf, of } from '../../query/connections.js';
import { defineEntity, inLiveTeam, optionalTeamAccess } from '../../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';

@Entity('issue_labels')
export class IssueLabel extends OwnedRow {
  /** Null: usable in every team. */
  @Stored('uuid', nullable) teamId: string | null;
  @Stored('text') name: string;
  @Stored('text') color: string;
  @Stored('text', nullable) description: string | null;
  @Stored('boolean') isGroup: boolean;
  @Stored('uuid', nullable) parentId: string | null;
  @Stored('uuid', nullable) creatorId: string | null;
  @Stored('timestamptz', nullable) lastAppliedAt: Date | null;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    IssueLabel: IssueLabel;
  }
}

defineEntity('IssueLabel', {
  row: IssueLabel,
  alias: 'l',
  access: optionalTeamAccess('teamId'),
  listed: (alias, scope, { includeArchived }) => {
    const condition = includeArchived ? undefined : inLiveTeam(alias, scope);
    return condition && `(${alias}.team_id IS NULL OR ${condition})`;
  },
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
