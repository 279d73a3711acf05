import { Module } from '@nestjs/common';
import { ActReplies } from './acts/act-replies.js';
import { ActingViewers } from './acts/acting-viewers.js';
import { CommentActs } from './acts/comment-acts.js';
import { IssueActs } from './acts/issue-acts.js';
import { NamedThings } from './acts/named-things.js';
import { TrackerScreen } from './acts/tracker-screen.js';
import { CommentsResolver } from './comments/comments.resolver.js';
import { CommentOwners } from './comments/comment-owners.js';
import { CommentsService } from './comments/comments.service.js';
import { IssueChanges } from './issue-changes.js';
import { IssueCreation } from './issue-creation.js';
import { IssueQueries } from './issue-queries.js';
import { IssueSubscribers } from './issue-subscribers.js';
import { IssuesResolver } from './issues.resolver.js';
import { LabelsResolver } from './labels/labels.resolver.js';
import { LabelsService } from './labels/labels.service.js';
import { ViewNews } from './notifications/view-news.js';

/** Issues, their comments and their labels. */
@Module({
  providers: [
    ActReplies,
    ActingViewers,
    CommentActs,
    IssueActs,
    NamedThings,
    TrackerScreen,
    IssueChanges,
    IssueCreation,
    IssueQueries,
    IssueSubscribers,
    IssuesResolver,
    CommentOwners,
    CommentsService,
    CommentsResolver,
    LabelsService,
    LabelsResolver,
    ViewNews,
  ],
  exports: [ActReplies, ActingViewers, CommentOwners, CommentsService, IssueChanges, NamedThings],
})
export class IssuesModule {}
