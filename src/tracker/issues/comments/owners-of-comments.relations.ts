import { InputType } from '@nestjs/graphql';
import { type Document, documentConnections, documents } from '../../documents/document.entity.js';
import { OptionalField } from '../../graphql/fields.js';
import { DateComparator, IDComparator, NullableStringComparator } from '../../graphql/filters.js';
import { DocumentContent } from '../../graphql/references.types.js';
import { always, filterRelations, nullable, page, type Relations, relationsOf } from '../../graphql/relations.js';
import { initiatives } from '../../initiatives/initiative.entity.js';
import {
  type InitiativeUpdate,
  initiativeUpdateConnections,
  initiativeUpdates,
} from '../../initiatives/updates/initiative-update.entity.js';
import { projectMilestones } from '../../projects/milestones/project-milestone.entity.js';
import { type Project, projectConnections } from '../../projects/project.entity.js';
import { ProjectFilter } from '../../projects/projects.filters.js';
import { ProjectType } from '../../projects/projects.types.js';
import {
  type ProjectUpdate,
  projectUpdateConnections,
  projectUpdates,
} from '../../projects/updates/project-update.entity.js';
import { IssueFilter } from '../issues.filters.js';
import { IssueType } from '../issues.types.js';
import type { Comment } from './comment.entity.js';
import { CommentFilter } from './comments.filters.js';
import { CommentConnection, CommentType } from './comments.types.js';

const asked = { filter: () => CommentFilter };

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

/** The comments of what is not an issue, and the document that a comment is on. */
export const ownersOfCommentsRelations: readonly Relations[] = [
  relationsOf<Project>(() => ProjectType, {
    comments: page(() => CommentConnection, projectConnections.comments, asked),
  }),
  relationsOf<ProjectUpdate>(() => projectUpdates.types.Type, {
    comments: page(() => CommentConnection, projectUpdateConnections.comments, asked),
  }),
  relationsOf<InitiativeUpdate>(() => initiativeUpdates.types.Type, {
    comments: page(() => CommentConnection, initiativeUpdateConnections.comments, asked),
  }),
  relationsOf<Document>(() => documents.types.Type, {
    comments: page(() => CommentConnection, documentConnections.comments, asked),
  }),
  // a content refers to its document alone (docs/reference/tracker.md#operations)
  relationsOf(() => DocumentContent, {
    issue: always(() => IssueType, null),
    project: always(() => ProjectType, null),
    initiative: always(() => initiatives.types.Type, null),
    projectMilestone: always(() => projectMilestones.types.Type, null),
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
  filterRelations(() => [NullableDocumentContentFilter], {
    document: () => documents.types.Filter,
    issue: () => IssueFilter,
    project: () => ProjectFilter,
    initiative: () => initiatives.types.Filter,
    projectMilestone: () => projectMilestones.types.Filter,
  }),
  filterRelations(() => ['CommentFilter', 'NullableCommentFilter', 'CommentCollectionFilter'], {
    documentContent: () => NullableDocumentContentFilter,
  }),
];

const timesAndContent = ({ content, createdAt, updatedAt, archivedAt }: Document) => ({
  content,
  createdAt,
  updatedAt,
  archivedAt,
});
