import { OptionalField } from '../../graphql/fields.js';
import { CreateInput, UpdateInput } from '../../graphql/inputs.js';
import {
  ExactlyOneOf,
  InThePast,
  IssueReference,
  LongText,
  NewId,
  NotNull,
  Reference,
  Required,
  Text,
  UrlLength,
} from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';

/** What a comment is on: one of them. */
export const COMMENT_OWNERS = [
  'issueId',
  'projectId',
  'documentContentId',
  'projectUpdateId',
  'initiativeId',
  'initiativeUpdateId',
] as const;
const BODY_MAX = 250_000;

/** docs/reference/tracker.md#comment. */
@CreateInput()
export class CommentCreateInput {
  @OptionalField(() => String) @NewId() id?: string;
  @OptionalField(() => String)
  @IssueReference()
  @ExactlyOneOf(COMMENT_OWNERS)
  issueId?: string;
  @OptionalField(() => String) @Reference() projectId?: string;
  @OptionalField(() => String) @Reference() documentContentId?: string;
  @OptionalField(() => String) @Reference() projectUpdateId?: string;
  @OptionalField(() => String) @Reference() initiativeId?: string;
  @OptionalField(() => String) @Reference() initiativeUpdateId?: string;
  @OptionalField(() => String) @Reference() parentId?: string;
  @OptionalField(() => String) @Text(BODY_MAX) @Required() body?: string;
  @OptionalField(() => String) @LongText() quotedText?: string;
  @OptionalField(() => Boolean) doNotSubscribeToIssue?: boolean;
  @OptionalField(() => DateTime) @InThePast() createdAt?: Date;
  /** For whom an application acts, in applications that act as themselves alone. */
  @OptionalField(() => String) @Text() createAsUser?: string;
  @OptionalField(() => String) @UrlLength() displayIconUrl?: string;
}

@UpdateInput()
export class CommentUpdateInput {
  @OptionalField(() => String) @Text(BODY_MAX) @NotNull() body?: string;
  @OptionalField(() => String) @LongText() quotedText?: string | null;
}
