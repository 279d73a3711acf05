import { Injectable } from '@nestjs/common';
import type { UpdateInputOf } from '../../../src/tracker/entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../../src/tracker/entity/service.js';
import { brokenRule } from '../../../src/tracker/values/errors.js';
import { type Milestone, milestones } from './milestone.entity.js';

/** The rules that a declaration does not say: a milestone that is done has a time, and stays as it is named. */
@Injectable()
export class MilestonesService extends EntityService<typeof milestones> {
  constructor(needs: EntityNeeds) {
    super(milestones, needs);
  }

  protected override async revised({ at, before }: Writing<Milestone>, input: UpdateInputOf<typeof milestones>) {
    if (before?.isDone && input.name !== undefined) {
      throw brokenRule('milestone is done', 'A milestone that is done keeps its name.');
    }
    if (input.isDone === undefined || input.isDone === before?.isDone) return {};
    return { doneAt: input.isDone ? at : null };
  }
}
