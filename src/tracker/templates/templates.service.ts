import { Injectable } from '@nestjs/common';
import type { CreateInputOf } from '../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../entity/service.js';
import type { PageArgs } from '../query/page.js';
import type { Loaders } from '../query/loaders.js';
import { unknownReference } from '../values/errors.js';
import { inOrder, Template, templates } from './template.entity.js';

const STEP = 100;
/** How many a plain list shows. */
const SHOWN = 250;

/** Templates (docs/reference/tracker.md#template). */
@Injectable()
export class TemplatesService extends EntityService<typeof templates> {
  constructor(needs: EntityNeeds) {
    super(templates, needs);
  }

  /** By their `sortOrder`. @param args.first at most this many: 250 by default */
  async plainList({ viewer, now }: Loaders, args: PageArgs = {}): Promise<Template[]> {
    return (await inOrder(this.needs.db, { viewer, now, args: { ...args, first: args.first ?? SHOWN } })).nodes;
  }

  /** It stands after all others, unless the input says where. */
  protected override async filled(
    { tx, viewer }: Writing<Template>,
    { sortOrder, pipelineId }: CreateInputOf<typeof templates>,
  ): Promise<Partial<Template>> {
    if (pipelineId !== undefined) throw unknownReference('pipelineId');
    const { organizationId, userId } = viewer;
    const last = sortOrder ?? (await tx.sql.maximum(Template, 'sortOrder', { organizationId }));
    return {
      creatorId: userId,
      lastUpdatedById: userId,
      sortOrder: sortOrder ?? (last === null ? 0 : last + STEP),
    };
  }

  protected override async revised({ viewer }: Writing<Template>): Promise<Partial<Template>> {
    return { lastUpdatedById: viewer.userId };
  }
}
