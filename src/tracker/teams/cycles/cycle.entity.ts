import { Float } from '@nestjs/graphql';
import { Entity, ForeignKey, Index } from 'typeorm';
import { teamAccess } from '../../store/hidden-teams.js';
import { declareEntity, rowOf } from '../../entity/declare.js';
import {
  computedFlag,
  computedNumber,
  constant,
  longText,
  moment,
  reference,
  text,
  whole,
} from '../../entity/fields.js';
import { DateTime } from '../../graphql/scalars.js';
import { connectionsOf, of } from '../../store/connections.js';
import { having } from '../../store/filter-keys.js';
import type { QueryScope } from '../../store/query-scope.js';
import { listedInLiveTeam } from '../../store/define-entity.js';
import { cycleSql } from '../../values/cycle-times.queries.js';
import { definePlace, placeOf } from '../../entity/places.js';

const computed = (flag: keyof typeof cycleSql) => (alias: string, scope: QueryScope) =>
  cycleSql[flag](alias, scope.moment);
const history = constant(() => [Float], []);

/** docs/reference/tracker.md#cycle; flags and `progress` are derived from the clock and the issues. */
@Entity('cycles')
@Index('cycles_number', ['teamId', 'number'], { unique: true })
@Index('cycles_page', ['organizationId', 'createdAt', 'id'])
@Index('cycles_of_team', ['teamId', 'createdAt', 'id'])
@Index('cycles_of_team_by_start', ['teamId', 'startsAt'], { where: 'archived_at IS NULL' })
@ForeignKey('organizations', ['organizationId'], ['id'], { onDelete: 'CASCADE' })
export class Cycle extends rowOf({
  // changes of a team's cycles wait for each other, so that no two overlap
  teamId: reference('Team', { onDelete: 'CASCADE', owner: true, update: false, hold: 'change', backed: 'cycles' }),
  number: whole({ least: 1, create: false, update: false, seed: 'number' }),
  name: text({ nullable: true }),
  description: longText({ nullable: true, filter: false }),
  startsAt: moment(),
  endsAt: moment({ after: 'startsAt' }),
  /** As given; the wire's is `cycleCompletedAt` (values/cycle-times.ts). */
  completedAt: moment({ nullable: true, filter: computed('completedAt'), seed: false }),
  archivedAt: moment({ nullable: true, create: false, update: false, filter: false, seed: false }),
  isActive: computedFlag(computed('isActive')),
  isFuture: computedFlag(computed('isFuture')),
  isPast: computedFlag(computed('isPast')),
  isNext: computedFlag(computed('isNext')),
  isPrevious: computedFlag(computed('isPrevious')),
  progress: computedNumber(),
  autoArchivedAt: constant(() => DateTime, null),
  completedIssueCountHistory: history,
  completedScopeHistory: history,
  inProgressScopeHistory: history,
  issueCountHistory: history,
  scopeHistory: history,
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    Cycle: Cycle;
  }
}

export const cycles = declareEntity('Cycle', Cycle, {
  alias: 'y',
  access: teamAccess('teamId'),
  listed: listedInLiveTeam,
  filter: { issues: { key: having('Issue', 'cycle_id'), input: 'IssueCollectionFilter' } },
  event: { word: 'cycle', fires: true },
  mutations: ['create', 'update', 'archive'],
  nullablePayload: true,
  seeds: { under: 'teamId', as: 'cycles', unique: 'number', order: (a) => `${a}.number` },
  changes: { name: 'cycle' },
  title: (a) => `coalesce(${a}.name, ${a}.number::text)`,
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

definePlace('Cycle', async (tx, id, at) => {
  const { teamId } = await tx.sql.findOneByOrFail(Cycle, { id });
  return placeOf(tx, { entity: 'Team', id: teamId }, at);
});
