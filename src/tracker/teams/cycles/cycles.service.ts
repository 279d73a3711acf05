import { Injectable } from '@nestjs/common';
import { Between, In, IsNull, LessThan, LessThanOrEqual, MoreThan, MoreThanOrEqual, Not } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import { Access } from '../../access/access.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../../entity/declare.js';
import type { Place } from '../../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { cycleCompletedAt, isPastCycle } from '../../values/cycle-times.js';
import { brokenRule, invalidArgument, notFound } from '../../values/errors.js';
import { Cycle, cycles } from './cycle.entity.js';
import { nextCycleNumber, uncompletedIds, unlinkIssues } from './cycles.queries.js';

/** How far cycles are moved at once: ten years. */
const MOST_DAYS = 3_650;
const DAY_MS = 86_400_000;

type Times = Pick<Cycle, 'startsAt' | 'endsAt' | 'completedAt'>;

/** Cycles (docs/reference/tracker.md#cycle). */
@Injectable()
export class CyclesService extends EntityService<typeof cycles> {
  constructor(
    needs: EntityNeeds,
    private readonly access: Access,
  ) {
    super(cycles, needs);
  }

  /** Moves a cycle and all later ones of its team; with a negative number towards the past. */
  shiftAll(viewer: Viewer, id: string, days: number) {
    if (!(Math.abs(days) <= MOST_DAYS)) {
      throw invalidArgument('daysToShift', 'max', `daysToShift must not be greater than ${MOST_DAYS}`);
    }
    return this.answer(viewer, async (tx) => {
      const cycle = await this.hold(tx, viewer, id);
      const at = this.needs.clock.now();
      const { teamId } = cycle;
      const where = { teamId, archivedAt: IsNull(), startsAt: MoreThanOrEqual(cycle.startsAt) };
      const later = await tx.sql.find(Cycle, { where, order: { startsAt: 'ASC' } });
      const moved = (time: Date): Date => new Date(time.getTime() + days * DAY_MS);
      const first = { startsAt: moved(cycle.startsAt), endsAt: moved(cycle.endsAt), completedAt: null };
      // the others keep their distances, so only those before it can be in the way
      if (cycle.archivedAt === null) await requireFree(tx, first, teamId, ...later.map((one) => one.id));
      let shifted = cycle;
      for (const before of later) {
        const times = { startsAt: moved(before.startsAt), endsAt: moved(before.endsAt) };
        const after = await this.store({ tx, viewer, at, before, referred: {} }, times);
        if (after.id === cycle.id) shifted = after;
      }
      return shifted;
    });
  }

  /**
   * Starts a future cycle at the beginning of the day (UTC), or where the last one ended if that was later; the one under
   * way ends then.
   */
  startToday(viewer: Viewer, id: string) {
    return this.answer(viewer, async (tx) => {
      const cycle = await this.hold(tx, viewer, id);
      const at = this.needs.clock.now();
      if (cycle.archivedAt !== null || cycle.startsAt <= at) throw brokenRule('Only upcoming cycles can be started.');
      const { teamId } = cycle;
      const where = { teamId, archivedAt: IsNull(), startsAt: LessThanOrEqual(at), endsAt: MoreThan(at) };
      const active = await tx.sql.findOneBy(Cycle, where);
      const midnight = new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
      // one that began today itself ends now
      const begins = active && active.startsAt >= midnight ? at : midnight;
      const [last] = await tx.sql.find(Cycle, {
        where: { teamId, archivedAt: IsNull(), endsAt: Between(begins, at) },
        order: { endsAt: 'DESC' },
        take: 1,
      });
      const startsAt = last?.endsAt ?? begins;
      if (active) await this.store({ tx, viewer, at, before: active, referred: {} }, { endsAt: startsAt });
      await requireFree(tx, { ...cycle, startsAt }, teamId, cycle.id);
      return this.store({ tx, viewer, at, before: cycle, referred: {} }, { startsAt });
    });
  }

  protected override async filled({ tx }: Writing<Cycle>, input: CreateInputOf<typeof cycles>) {
    const times = timesOf({ ...input, completedAt: input.completedAt ?? null }, input);
    await requireFree(tx, times, input.teamId);
    return { ...times, number: await nextCycleNumber(tx, input.teamId) };
  }

  protected override async revised({ tx, before }: Writing<Cycle>, input: UpdateInputOf<typeof cycles>) {
    const cycle = before as Cycle;
    const times = timesOf(
      {
        startsAt: input.startsAt ?? cycle.startsAt,
        endsAt: input.endsAt ?? cycle.endsAt,
        completedAt: input.completedAt === undefined ? cycle.completedAt : input.completedAt,
      },
      input,
    );
    const isMoved = +times.startsAt !== +cycle.startsAt || +times.endsAt !== +cycle.endsAt;
    if (isMoved && cycle.archivedAt === null) await requireFree(tx, times, cycle.teamId, cycle.id);
    return times;
  }

  protected override async retire({ tx, at }: Writing<Cycle>, cycle: Cycle): Promise<void> {
    // waits for running additions of issues to it, and prevents others
    await tx.sql.findOne(Cycle, { where: { id: cycle.id }, lock: { mode: 'pessimistic_write' } });
    await unlinkIssues(tx, cycle.id, at);
  }

  /** Its team is locked first, as everywhere. */
  protected override async hold(tx: Tx, viewer: Viewer, id: string): Promise<Cycle> {
    const { teamId } = await this.door.visible(viewer, id, tx);
    if (!(await this.access.teams.find(viewer, teamId, tx, 'change'))) throw notFound('Cycle');
    return super.hold(tx, viewer, id);
  }

  protected override async told({ tx, at }: Writing<Cycle>, cycle: Cycle): Promise<Record<string, unknown>> {
    const left = isPastCycle(cycle, at) ? await uncompletedIds(tx, cycle.id) : [];
    return { ...cycles.data(cycle), completedAt: cycleCompletedAt(cycle, at), uncompletedIssuesUponCloseIds: left };
  }

  protected override async toldBefore({ at }: Writing<Cycle>, before: Cycle, after: Cycle) {
    // an end that has passed is not a stored change of `completedAt`
    const isStored = before.completedAt?.getTime() !== after.completedAt?.getTime();
    return { ...cycles.data(before), completedAt: isStored ? before.completedAt : cycleCompletedAt(after, at) };
  }

  protected override urlOf(cycle: Cycle, { url }: Place): string {
    return `${url}/cycle/${cycle.number}`;
  }
}

/** @throws brokenRule when another cycle of the team overlaps; cycles may touch */
async function requireFree(tx: Tx, { startsAt, endsAt }: Times, teamId: string, ...ids: string[]): Promise<void> {
  const overlapping = { startsAt: LessThan(endsAt), endsAt: MoreThan(startsAt), archivedAt: IsNull() };
  if (await tx.sql.existsBy(Cycle, { teamId, id: Not(In(ids)), ...overlapping })) {
    throw brokenRule('Cycle dates overlap with another cycle.');
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
