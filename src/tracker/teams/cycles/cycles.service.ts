import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, MoreThan, Not } from 'typeorm';
import { Clock } from '../../../kernel/clock/clock.js';
import { Db, type Tx } from '../../../kernel/database/db.js';
import type { DomainEvent } from '../../../kernel/events/event.js';
import { PublicUrl } from '../../../kernel/http/public-url.js';
import { newUuid } from '../../../kernel/ids/ids.js';
import { Access } from '../../access/access.js';
import { isPastCycle } from '../../values/cycle-times.js';
import {
  brokenRule,
  idAlreadyUsed,
  invalidArgument,
  notFound,
  teamArchived,
  unknownReference,
} from '../../values/errors.js';
import { mutate } from '../../store/mutation.js';
import { Cycle } from './cycle.entity.js';
import type { Team } from '../team.entity.js';
import { differences } from '../../store/differences.js';
import { insertUnlessTaken } from '../../../kernel/database/insert-unless-taken.js';
import type { EventAction } from '../../events/tracker-events.js';
import type { Viewer } from '../../access/viewer.js';
import { cycleEvent } from './cycles.events.js';
import { CycleCreateInput, CycleUpdateInput } from './cycles.inputs.js';
import { nextCycleNumber, uncompletedIds, unlinkIssues } from './cycles.queries.js';

type Times = Pick<Cycle, 'startsAt' | 'endsAt' | 'completedAt'>;

/** Cycles (docs/reference/tracker.md#cycle). Writes are serialized by the team's row, so that no two cycles overlap. */
@Injectable()
export class CyclesService {
  constructor(
    private readonly db: Db,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly publicUrl: PublicUrl,
  ) {}

  create(viewer: Viewer, input: CycleCreateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const team = await this.access.teams.find(viewer, input.teamId, tx, 'change');
      if (!team) throw unknownReference('teamId');
      if (team.archivedAt !== null) throw teamArchived(team.key);
      const id = input.id ?? newUuid();
      if (input.id !== undefined && (await tx.sql.existsBy(Cycle, { id }))) throw idAlreadyUsed('Cycle', id);
      const times = timesOf({ ...input, completedAt: input.completedAt ?? null }, input);
      await this.requireFree(tx, { ...times, teamId: team.id, id });
      const at = this.clock.now();
      const cycle = await insertUnlessTaken(tx, Cycle, {
        ...input,
        ...times,
        id,
        number: await nextCycleNumber(tx, team.id),
        organizationId: viewer.organizationId,
        createdAt: at,
        updatedAt: at,
      });
      // a concurrently created cycle
      if (!cycle) throw idAlreadyUsed('Cycle', id);
      tx.record(await this.eventOf(tx, viewer, at, 'create', cycle, team));
      return { cycle };
    });
  }

  update(viewer: Viewer, id: string, input: CycleUpdateInput) {
    return mutate(this.db, viewer, async (tx) => {
      const { cycle, team } = await this.forUpdate(tx, viewer, id);
      const times = timesOf(
        {
          startsAt: input.startsAt ?? cycle.startsAt,
          endsAt: input.endsAt ?? cycle.endsAt,
          completedAt: input.completedAt === undefined ? cycle.completedAt : input.completedAt,
        },
        input,
      );
      const change = differences(cycle, { ...input, ...times });
      if (Object.keys(change).length === 0) return { cycle };
      if ((change.startsAt || change.endsAt) && cycle.archivedAt === null) {
        await this.requireFree(tx, { ...cycle, ...times });
      }
      return { cycle: await this.change(tx, viewer, team, cycle, change) };
    });
  }

  archive(viewer: Viewer, id: string) {
    return mutate(this.db, viewer, async (tx) => {
      const { cycle, team } = await this.forUpdate(tx, viewer, id);
      if (cycle.archivedAt !== null) return { entity: cycle };
      const at = this.clock.now();
      // waits for running additions of issues to it, and prevents others
      await tx.sql.findOne(Cycle, { where: { id: cycle.id }, lock: { mode: 'pessimistic_write' } });
      await unlinkIssues(tx, cycle.id, at);
      return { entity: await this.change(tx, viewer, team, cycle, { archivedAt: at }) };
    });
  }

  /** The cycle and its team, whose row is locked first, as everywhere. */
  private async forUpdate(tx: Tx, viewer: Viewer, id: string): Promise<{ cycle: Cycle; team: Team }> {
    const { teamId } = await this.access.cycles.visible(viewer, id, tx);
    const team = await this.access.teams.find(viewer, teamId, tx, 'change');
    if (!team) throw notFound('Cycle');
    return { team, cycle: await this.access.cycles.forUpdate(tx, viewer, id) };
  }

  /** @throws brokenRule when another cycle of the team overlaps; cycles may touch */
  private async requireFree(
    tx: Tx,
    { teamId, id, startsAt, endsAt }: Times & { teamId: string; id: string },
  ): Promise<void> {
    const overlapping = { startsAt: LessThan(endsAt), endsAt: MoreThan(startsAt), archivedAt: IsNull() };
    if (await tx.sql.existsBy(Cycle, { teamId, id: Not(id), ...overlapping })) {
      throw brokenRule('Cycle dates overlap with another cycle.');
    }
  }

  private async change(tx: Tx, viewer: Viewer, team: Team, before: Cycle, change: Partial<Cycle>): Promise<Cycle> {
    const at = this.clock.now();
    const values = { ...change, updatedAt: at };
    await tx.sql.update(Cycle, { id: before.id }, values);
    const cycle = { ...before, ...values };
    tx.record(await this.eventOf(tx, viewer, at, 'update', cycle, team, before));
    return cycle;
  }

  private async eventOf(
    tx: Tx,
    viewer: Viewer,
    at: Date,
    action: EventAction,
    cycle: Cycle,
    team: Team,
    before?: Cycle,
  ): Promise<DomainEvent> {
    const left = isPastCycle(cycle, at) ? await uncompletedIds(tx, cycle.id) : [];
    return cycleEvent({ viewer, web: this.publicUrl.base, at }, action, cycle, team, left, before);
  }
}

/**
 * The stored times; `given` names those that the caller set. A cycle completed before its end ends then
 * (docs/reference/tracker.md#cycle).
 * @throws invalidArgument when the end is not after the start
 */
function timesOf(times: Times, given: { startsAt?: Date; completedAt?: Date | null }): Times {
  const { startsAt, completedAt } = times;
  const isShortened = given.completedAt instanceof Date && given.completedAt < times.endsAt;
  const endsAt = isShortened ? (given.completedAt as Date) : times.endsAt;
  if (endsAt > startsAt) return { startsAt, endsAt, completedAt };
  if (isShortened) throw invalidArgument('completedAt', 'minDate', minimal('completedAt', startsAt));
  if (given.startsAt && !('endsAt' in given)) {
    throw invalidArgument('startsAt', 'maxDate', `maximal allowed date for startsAt is ${endsAt.toISOString()}`);
  }
  throw invalidArgument('endsAt', 'minDate', minimal('endsAt', startsAt));
}

const minimal = (property: string, date: Date): string =>
  `minimal allowed date for ${property} is ${date.toISOString()}`;
