import { Injectable } from '@nestjs/common';
import { IsNull, LessThan, MoreThan, Not } from 'typeorm';
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
async function requireFree(tx: Tx, { startsAt, endsAt }: Times, teamId: string, id?: string): Promise<void> {
  const overlapping = { startsAt: LessThan(endsAt), endsAt: MoreThan(startsAt), archivedAt: IsNull() };
  if (await tx.sql.existsBy(Cycle, { teamId, ...(id !== undefined && { id: Not(id) }), ...overlapping })) {
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
