import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { IDComparator, StringComparator, NumberComparator, DateComparator } from '../../graphql/filters.js';

/** What a filter on comments compares itself; the filters on what they refer to are in `comments.relations.ts`. */
@InputType({ isAbstract: true })
abstract class CommentConditions {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => StringComparator) body?: StringComparator | null;
}

@InputType()
export class CommentFilter extends CommentConditions {
  @OptionalField(() => [CommentFilter]) and?: CommentFilter[] | null;
  @OptionalField(() => [CommentFilter]) or?: CommentFilter[] | null;
}

@InputType()
export class NullableCommentFilter extends CommentConditions {
  @OptionalField(() => [NullableCommentFilter]) and?: NullableCommentFilter[] | null;
  @OptionalField(() => [NullableCommentFilter]) or?: NullableCommentFilter[] | null;
  @OptionalField(() => Boolean) null?: boolean | null;
}

@InputType()
export class CommentCollectionFilter extends CommentConditions {
  @OptionalField(() => [CommentCollectionFilter]) and?: CommentCollectionFilter[] | null;
  @OptionalField(() => [CommentCollectionFilter]) or?: CommentCollectionFilter[] | null;
  @OptionalField(() => CommentFilter) some?: CommentFilter | null;
  @OptionalField(() => CommentFilter) every?: CommentFilter | null;
  @OptionalField(() => NumberComparator) length?: NumberComparator | null;
}
