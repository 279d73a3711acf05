import { Args, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../access/viewer.js';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { DocumentContent } from '../graphql/references.types.js';
import { derived, nullable, page, relationsOf } from '../graphql/relations.js';
import { ViewerOf } from '../graphql/viewer-of.js';
import { UserFilter } from '../organization/users/users.filters.js';
import { UserConnection } from '../organization/users/users.types.js';
import { documentUrl } from '../values/urls.js';
import { type Document, documentConnections, documents } from './document.entity.js';
import { DocumentsService } from './documents.service.js';

const { types } = documents;

/** docs/reference/tracker.md#document. */
@Resolver(() => types.Type)
@WithEntity(
  documents,
  relationsOf<Document>(() => types.Type, {
    url: derived((document, load, _args, { web }) => documentUrl(web, load.viewer.urlKey, document)),
    // the content has the id of its document
    documentContentId: derived(({ id }) => id),
    subscribers: page(() => UserConnection, documentConnections.subscribers, {
      filter: () => UserFilter,
      includeDisabled: () => Boolean,
    }),
  }),
  relationsOf<Document>(() => DocumentContent, {
    document: nullable(
      () => types.Type,
      ({ id }, load) => load.row('Document', id),
    ),
  }),
)
export class DocumentsResolver extends EntityResolver(documents) {
  constructor(private readonly documents: DocumentsService) {
    super(documents);
  }

  /** Into the trash. `ifParentDocumentId` is accepted and without effect. */
  @Mutation(() => types.ArchivePayload)
  documentDelete(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('ifParentDocumentId', { type: () => String, nullable: true }) _ifParentDocumentId?: string | null,
  ) {
    return this.documents.trash(viewer, id);
  }
}
