import { Module } from '@nestjs/common';
import { CommentsResolver } from './comments/comments.resolver.js';
import { CommentsService } from './comments/comments.service.js';
import { IssueActs } from './issue-acts.js';
import { IssueChanges } from './issue-changes.js';
import { IssueCreation } from './issue-creation.js';
import { IssueQueries } from './issue-queries.js';
import { IssueSubscribers } from './issue-subscribers.js';
import { IssuesResolver } from './issues.resolver.js';
import { LabelsResolver } from './labels/labels.resolver.js';
import { LabelsService } from './labels/labels.service.js';

/** Issues, their comments and their labels. */
@Module({
  providers: [
    IssueActs,
    IssueChanges,
    IssueCreation,
    IssueQueries,
    IssueSubscribers,
    IssuesResolver,
    CommentsService,
    CommentsResolver,
    LabelsService,
    LabelsResolver,
  ],
  exports: [CommentsService, IssueChanges],
})
export class IssuesModule {}
