import { Injectable } from '@nestjs/common';
import type { CreateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Referred, type Writing } from '../../entity/service.js';
import { duplicate } from '../../values/errors.js';
import { InitiativeToProject, initiativeProjects } from './initiative-to-project.entity.js';

/** Projects of initiatives (docs/reference/tracker.md#initiativetoproject). */
@Injectable()
export class InitiativeToProjectsService extends EntityService<typeof initiativeProjects> {
  constructor(needs: EntityNeeds) {
    super(initiativeProjects, needs);
  }

  protected override async filled(
    { tx, referred }: Writing<InitiativeToProject>,
    _input: CreateInputOf<typeof initiativeProjects>,
  ) {
    const [initiative, project] = [named(referred, 'initiativeId'), named(referred, 'projectId')];
    const pair = { initiativeId: initiative.id, projectId: project.id };
    if (await tx.sql.existsBy(InitiativeToProject, pair)) throw duplicate('initiative project', project.name);
    return {};
  }
}

const named = (referred: Referred, property: string) => referred[property] as { id: string; name: string };
