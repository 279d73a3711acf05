import { Args, ArgsType, Field, Float, Mutation, ObjectType, Query, registerEnumType, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { Access } from '../../access/access.js';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { PageArgs } from '../../graphql/connections.js';
import { OptionalField } from '../../graphql/fields.js';
import { MutationPayload } from '../../graphql/payloads.js';
import { page, relationsOf } from '../../graphql/relations.js';
import { LoadersOf, ViewerOf } from '../../graphql/viewer-of.js';
import type { PageArgs as ListArgs } from '../../query/page.js';
import type { Loaders } from '../../query/loaders.js';
import { IssueType } from '../issues.types.js';
import * as links from './attachment-links.js';
import { attachments, formerAttachments } from './attachment.entity.js';
import { AttachmentsService } from './attachments.service.js';

const { types } = attachments;

enum GitLinkKind {
  closes = 'closes',
  contributes = 'contributes',
  links = 'links',
}
registerEnumType(GitLinkKind, { name: 'GitLinkKind' });

@ObjectType()
class FrontAttachmentPayload extends MutationPayload {
  @Field(() => types.Type) attachment!: object;
}

@ArgsType()
class LinkArgs {
  @Field() issueId!: string;
  @OptionalField(() => String) id?: string | null;
  @OptionalField(() => String) title?: string | null;
  @OptionalField(() => String) createAsUser?: string | null;
  @OptionalField(() => String) displayIconUrl?: string | null;
}

@ArgsType()
class UrlLinkArgs extends LinkArgs {
  @Field() url!: string;
}

@ArgsType()
class PullRequestLinkArgs extends UrlLinkArgs {
  @OptionalField(() => GitLinkKind) linkKind?: GitLinkKind | null;
}

@ArgsType()
class MergeRequestLinkArgs extends UrlLinkArgs {
  @Field() projectPathWithNamespace!: string;
  @Field(() => Float) number!: number;
}

@ArgsType()
class SlackLinkArgs extends UrlLinkArgs {
  @OptionalField(() => Boolean) syncToCommentThread?: boolean | null;
}

@ArgsType()
class DiscordLinkArgs extends UrlLinkArgs {
  @Field() channelId!: string;
  @Field() messageId!: string;
}

@ArgsType()
class ConversationLinkArgs extends LinkArgs {
  @Field() conversationId!: string;
}

@ArgsType()
class IntercomLinkArgs extends ConversationLinkArgs {
  @OptionalField(() => String) partId?: string | null;
}

@ArgsType()
class ZendeskLinkArgs extends LinkArgs {
  @Field() ticketId!: string;
  @OptionalField(() => String) url?: string | null;
}

@ArgsType()
class JiraLinkArgs extends LinkArgs {
  @Field() jiraIssueId!: string;
  @OptionalField(() => String) url?: string | null;
}

const former = {
  formerAttachments: page<object>(() => types.Connection, formerAttachments, { filter: () => types.Filter }),
};

/** docs/reference/tracker.md#attachment. */
@Resolver(() => types.Type)
@WithEntity(attachments, relationsOf(() => IssueType, former))
export class AttachmentsResolver extends EntityResolver(attachments) {
  constructor(
    private readonly attachments: AttachmentsService,
    private readonly access: Access,
  ) {
    super(attachments);
  }

  @Query(() => types.Connection)
  attachmentsForURL(@LoadersOf() load: Loaders, @Args() args: PageArgs, @Args('url') url: string): unknown {
    return this.attachments.list(load, { ...(args as ListArgs), filter: { url: { eq: url } } });
  }

  @Query(() => IssueType)
  async attachmentIssue(@ViewerOf() viewer: Viewer, @Args('id') id: string) {
    const { issueId } = await this.attachments.one(viewer, id);
    return this.access.issues.visible(viewer, issueId);
  }

  @Mutation(() => types.Payload)
  attachmentLinkURL(@ViewerOf() viewer: Viewer, @Args() { url, ...args }: UrlLinkArgs): unknown {
    return this.attachments.link(viewer, links.linkOf(url), args);
  }

  @Mutation(() => types.Payload)
  attachmentLinkGitHubPR(@ViewerOf() viewer: Viewer, @Args() { url, linkKind, ...args }: PullRequestLinkArgs): unknown {
    return this.attachments.link(viewer, links.githubLink(url, 'pull', linkKind ?? undefined), args);
  }

  @Mutation(() => types.Payload)
  attachmentLinkGitHubIssue(@ViewerOf() viewer: Viewer, @Args() { url, ...args }: UrlLinkArgs): unknown {
    return this.attachments.link(viewer, links.githubLink(url, 'issues'), args);
  }

  @Mutation(() => types.Payload)
  attachmentLinkGitLabMR(@ViewerOf() viewer: Viewer, @Args() args: MergeRequestLinkArgs): unknown {
    const { url, projectPathWithNamespace, number, ...others } = args;
    return this.attachments.link(viewer, links.gitlabLink(url, projectPathWithNamespace, number), others);
  }

  @Mutation(() => types.Payload)
  attachmentLinkSlack(@ViewerOf() viewer: Viewer, @Args() { url, ...args }: SlackLinkArgs): unknown {
    const { syncToCommentThread, ...others } = args;
    return this.attachments.link(viewer, links.slackLink(url, syncToCommentThread ?? undefined), others);
  }

  @Mutation(() => types.Payload)
  attachmentLinkDiscord(@ViewerOf() viewer: Viewer, @Args() args: DiscordLinkArgs): unknown {
    const { url, channelId, messageId, ...others } = args;
    return this.attachments.link(viewer, links.discordLink(url, channelId, messageId), others);
  }

  @Mutation(() => types.Payload)
  attachmentLinkZendesk(@ViewerOf() viewer: Viewer, @Args() { ticketId, url, ...args }: ZendeskLinkArgs): unknown {
    return this.attachments.link(viewer, links.zendeskLink(ticketId, url ?? undefined), args);
  }

  @Mutation(() => types.Payload)
  attachmentLinkIntercom(@ViewerOf() viewer: Viewer, @Args() args: IntercomLinkArgs): unknown {
    const { conversationId, partId, ...others } = args;
    return this.attachments.link(viewer, links.intercomLink(conversationId, partId ?? undefined), others);
  }

  @Mutation(() => FrontAttachmentPayload)
  attachmentLinkFront(@ViewerOf() viewer: Viewer, @Args() { conversationId, ...args }: ConversationLinkArgs): unknown {
    return this.attachments.link(viewer, links.frontLink(conversationId), args);
  }

  @Mutation(() => types.Payload)
  attachmentLinkJiraIssue(@ViewerOf() viewer: Viewer, @Args() { jiraIssueId, url, ...args }: JiraLinkArgs): unknown {
    return this.attachments.link(viewer, links.jiraLink(jiraIssueId, url ?? undefined), args);
  }

  @Mutation(() => types.Payload)
  attachmentLinkSalesforce(@ViewerOf() viewer: Viewer, @Args() { url, ...args }: UrlLinkArgs): unknown {
    return this.attachments.link(viewer, links.salesforceLink(url), args);
  }
}
