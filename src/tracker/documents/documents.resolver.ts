import { Args, InputType, Mutation, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../access/viewer.js';
import { EntityResolver, WithEntity } from '../entity/resolver.js';
import { OptionalField } from '../graphql/fields.js';
import { DateComparator, IDComparator, NullableStringComparator } from '../graphql/filters.js';
import { DocumentContent } from '../graphql/references.types.js';
import { derived, filterRelations, nullable, page, relationsOf } from '../graphql/relations.js';
import { ViewerOf } from '../graphql/viewer-of.js';
import type { Comment } from '../issues/comments/comment.entity.js';
import { CommentFilter } from '../issues/comments/comments.filters.js';
import { CommentConnection, CommentType } from '../issues/comments/comments.types.js';
import { UserFilter } from '../organization/users/users.filters.js';
import { UserConnection } from '../organization/users/users.types.js';
import { documentUrl } from '../values/urls.js';
import { type Document, documentConnections, documents } from './document.entity.js';
import { DocumentsService } from './documents.service.js';

const { types } = documents;

/** What a comment's filter asks of the document that it is on. */
@InputType()
class NullableDocumentContentFilter {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => NullableStringComparator) content?: NullableStringComparator | null;
  @OptionalField(() => Boolean) null?: boolean | null;
  @OptionalField(() => [NullableDocumentContentFilter]) and?: NullableDocumentContentFilter[] | null;
  @OptionalField(() => [NullableDocumentContentFilter]) or?: NullableDocumentContentFilter[] | null;
}

/** docs/reference/tracker.md#document. */
@Resolver(() => types.Type)
@WithEntity(
  documents,
  relationsOf<Document>(() => types.Type, {
    url: derived((document, load, _args, { web }) => documentUrl(web, load.viewer.urlKey, document)),
    // the content has the id of its document
    documentContentId: derived(({ id }) => id),
    comments: page(() => CommentConnection, documentConnections.comments, { filter: () => CommentFilter }),
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
  relationsOf<Comment>(() => CommentType, {
    documentContent: nullable(
      () => DocumentContent,
      async ({ documentContentId }, load) => {
        const document = await load.row('Document', documentContentId);
        return document && { id: document.id, ...timesAndContent(document) };
      },
    ),
  }),
  filterRelations(() => [NullableDocumentContentFilter], { document: () => types.Filter }),
  filterRelations(() => ['CommentFilter', 'NullableCommentFilter', 'CommentCollectionFilter'], {
    documentContent: () => NullableDocumentContentFilter,
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

const timesAndContent = ({ content, createdAt, updatedAt, archivedAt }: Document) => ({
  content,
  createdAt,
  updatedAt,
  archivedAt,
});
