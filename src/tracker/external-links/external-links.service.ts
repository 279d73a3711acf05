import { Injectable } from '@nestjs/common';
import { EntityNeeds, EntityService, type Writing } from '../entity/service.js';
import { type EntityExternalLink, externalLinks } from './external-link.entity.js';

/** External links (docs/reference/tracker.md#entityexternallink). */
@Injectable()
export class ExternalLinksService extends EntityService<typeof externalLinks> {
  constructor(needs: EntityNeeds) {
    super(externalLinks, needs);
  }

  protected override async filled({ viewer }: Writing<EntityExternalLink>) {
    return { creatorId: viewer.userId };
  }
}
