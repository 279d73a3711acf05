import { Resolver } from '@nestjs/graphql';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { externalLinks } from './external-link.entity.js';
import { ExternalLinksService } from './external-links.service.js';

/** docs/reference/tracker.md#entityexternallink. */
@Resolver(() => externalLinks.types.Type)
@WithEntity(externalLinks)
export class ExternalLinksResolver extends EntityResolver(externalLinks) {
  constructor(service: ExternalLinksService) {
    super(service);
  }
}
