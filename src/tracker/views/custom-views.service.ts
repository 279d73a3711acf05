import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import { newMark } from '../../kernel/ids/ids.js';
import type { CreateInputOf, UpdateInputOf } from '../entity/declare.js';
import type { Place } from '../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../entity/service.js';
import { NotificationSubscription } from '../issues/notifications/notification-subscription.entity.js';
import { compileFilter, type Filter } from '../query/filter/compile.js';
import { QueryScope } from '../store/query-scope.js';
import { customViewUrl, webFor } from '../values/urls.js';
import { type CustomView, customViews, modelOf } from './custom-view.entity.js';

type Create = CreateInputOf<typeof customViews>;
type Update = UpdateInputOf<typeof customViews>;

/** Custom views (docs/reference/tracker.md#customview). */
@Injectable()
export class CustomViewsService extends EntityService<typeof customViews> {
  constructor(needs: EntityNeeds) {
    super(customViews, needs);
  }

  protected override async filled(writing: Writing<CustomView>, input: Create): Promise<Partial<CustomView>> {
    requireFilters(writing, input);
    const { userId } = writing.viewer;
    return {
      slugId: newMark(12),
      ownerId: input.ownerId ?? userId,
      creatorId: userId,
      updatedById: userId,
      modelName: modelOf(input.projectFilterData),
    };
  }

  protected override async revised(writing: Writing<CustomView>, input: Update): Promise<Partial<CustomView>> {
    requireFilters(writing, input);
    const { projectFilterData } = { ...writing.before, ...input };
    await unsubscribe(writing, input);
    return { updatedById: writing.viewer.userId, modelName: modelOf(projectFilterData) };
  }

  /** Of one that is not shared, its owner alone hears. */
  protected override hearers({ shared, ownerId }: CustomView): { userId?: string } {
    return shared ? {} : { userId: ownerId };
  }

  protected override async placeOf(writing: Writing<CustomView>, view: CustomView): Promise<Place> {
    const place = await super.placeOf(writing, view);
    const { viewer } = writing;
    return { ...place, url: customViewUrl(webFor(this.needs.publicUrl.base, viewer), viewer.urlKey, view) };
  }
}

/** Filters that lists would refuse are refused when they are stored. @throws invalidArgument */
function requireFilters({ viewer, at }: Writing<CustomView>, input: Create | Update): void {
  const { filterData, projectFilterData } = input;
  const scope = new QueryScope(viewer, at);
  compileFilter('Issue', filterData as Filter | undefined, scope, 'i', 'filterData');
  compileFilter('Project', projectFilterData as Filter | null | undefined, scope, 'p', 'projectFilterData');
}

/** Who sees a view no more, as it becomes one person's, is subscribed to it no more. */
async function unsubscribe({ tx, before }: Writing<CustomView>, input: Update): Promise<void> {
  const { id, shared, ownerId } = { ...before, ...input } as CustomView;
  if (!shared) await tx.sql.delete(NotificationSubscription, { customViewId: id, subscriberId: Not(ownerId) });
}
