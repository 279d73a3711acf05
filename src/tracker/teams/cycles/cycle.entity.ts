import { Entity, ForeignKey, Index } from 'typeorm';
import { having, id, moment, number, one, text, times, type ValueKey } from '../../query/filter/keys.js';
import { connectionsOf, of } from '../../query/connections.js';
import type { QueryScope } from '../../query/query-scope.js';
import { teamAccess } from '../../access/hidden-teams.js';
import { defineEntity, listedInLiveTeam } from '../../store/define-entity.js';
import { nullable, OwnedRow, Stored } from '../../store/row.js';
import { cycleSql } from '../../values/cycle-times.queries.js';

@Entity('cycles')
@Index('cycles_number', ['teamId', 'number'], { unique: true })
@Index('cycles_page', ['organizationId', 'createdAt', 'id'])
@Index('cycles_of_team', ['teamId', 'createdAt', 'id'])
@Index('cycles_of_team_by_start', ['teamId', 'startsAt'], { where: 'archived_at IS NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Cycle extends OwnedRow {
  @ForeignKey('teams', { onDelete: 'CASCADE' })
  @Stored('uuid')
  teamId: string;
  @Stored('integer') number: number;
  @Stored('text', nullable) name: string | null;
  @Stored('text', nullable) description: string | null;
  @Stored('timestamptz') startsAt: Date;
  @Stored('timestamptz') endsAt: Date;
  /** As given; the wire's is `cycleCompletedAt` (values/cycle-times.ts). */
  @Stored('timestamptz', nullable) completedAt: Date | null;
  @Stored('timestamptz', nullable) archivedAt: Date | null;
}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    Cycle: Cycle;
  }
}

const derived = (is: 'moment' | 'boolean', flag: keyof typeof cycleSql): ValueKey => ({
  is,
  sql: (alias, scope) => cycleSql[flag](alias, scope.moment),
});

defineEntity('Cycle', {
  row: Cycle,
  alias: 'y',
  access: teamAccess('teamId'),
  listed: listedInLiveTeam,
  filter: {
    id,
    ...times,
    name: text('name'),
    number: number('number'),
    startsAt: moment('starts_at'),
    endsAt: moment('ends_at'),
    completedAt: derived('moment', 'completedAt'),
    isActive: derived('boolean', 'isActive'),
    isFuture: derived('boolean', 'isFuture'),
    isPast: derived('boolean', 'isPast'),
    isNext: derived('boolean', 'isNext'),
    isPrevious: derived('boolean', 'isPrevious'),
    team: one('Team', 'team_id'),
    issues: having('Issue', 'cycle_id'),
  },
});

/** The connections below a Cycle. */
export const cycleConnections = connectionsOf('Cycle', {
  issues: of('Issue', 'cycle_id'),
  uncompletedIssuesUponClose: {
    entity: 'Issue' as const,
    link: (a: string, parent: string, scope: QueryScope) => `${a}.cycle_id = ${parent}
      AND EXISTS (SELECT 1 FROM cycles x WHERE x.id = ${parent} AND ${cycleSql.isPast('x', scope.moment)})
      AND (SELECT x.type NOT IN ('completed', 'canceled', 'duplicate') FROM workflow_states x WHERE x.id = ${a}.state_id)`,
  },
});
