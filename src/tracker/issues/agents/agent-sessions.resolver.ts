import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import type { Viewer } from '../../access/viewer.js';
import { EntityResolver, WithEntity } from '../../entity/resolver.js';
import { derived, nullable, page, relationsOf } from '../../graphql/relations.js';
import { ViewerOf } from '../../graphql/viewer-of.js';
import type { User } from '../../store/user.entity.js';
import { UserType } from '../../organization/users/users.types.js';
import { issueUrl } from '../../values/urls.js';
import type { Comment } from '../comments/comment.entity.js';
import { CommentType } from '../comments/comments.types.js';
import type { Issue } from '../issue.entity.js';
import { IssueType } from '../issues.types.js';
import { agentSessionUrl } from './agent-events.js';
import { type AgentSession, agentSessions, sessionsOfComment, sessionsOfIssue } from './agent-session.entity.js';
import {
  AgentSessionCreateOnComment,
  AgentSessionCreateOnIssue,
  AgentSessionUpdateExternalUrlInput,
  AgentSessionUpdateInput,
  RepositoryArgs,
  RepositorySuggestionsPayload,
} from './agent-sessions.inputs.js';
import { isAgentUser, sessionOfComment } from './agent-sessions.queries.js';
import { AgentSessionsService } from './agent-sessions.service.js';
import { RepositorySuggestions } from './repository-suggestions.js';

const { types } = agentSessions;

/** docs/reference/tracker-agents.md#sessions. */
@Resolver(() => types.Type)
@WithEntity(
  agentSessions,
  relationsOf<AgentSession>(() => types.Type, {
    context: derived(() => ({})),
    issue: derived(({ issueId }, load) => load.row('Issue', issueId)),
    externalLinks: derived(({ externalUrls }) => externalUrls),
    type: derived(() => 'commentThread'),
    url: derived(async ({ id, issueId }, load, _args, { web }) => {
      const issue = await load.row('Issue', issueId);
      return issue && agentSessionUrl(issueUrl(web, load.viewer.urlKey, issue), id);
    }),
  }),
  relationsOf<Issue>(
    () => IssueType,
    { agentSessions: page(() => types.Connection, sessionsOfIssue) },
    { ofResults: false },
  ),
  relationsOf<Comment>(() => CommentType, {
    agentSession: nullable(
      () => types.Type,
      ({ id }, load) => load.by(sessionOfComment, id),
    ),
    agentSessions: page(() => types.Connection, sessionsOfComment),
  }),
  relationsOf<User>(() => UserType, {
    supportsAgentSessions: derived(({ id, applicationId }, load) =>
      applicationId === null ? false : load.by(isAgentUser, id),
    ),
  }),
)
export class AgentSessionsResolver extends EntityResolver(agentSessions) {
  constructor(
    private readonly sessions: AgentSessionsService,
    private readonly suggestions: RepositorySuggestions,
  ) {
    super(sessions);
  }

  @Mutation(() => types.Payload)
  agentSessionCreateOnIssue(@ViewerOf() viewer: Viewer, @Args('input') input: AgentSessionCreateOnIssue) {
    return this.sessions.createOnIssue(viewer, input);
  }

  @Mutation(() => types.Payload)
  agentSessionCreateOnComment(@ViewerOf() viewer: Viewer, @Args('input') input: AgentSessionCreateOnComment) {
    return this.sessions.createOnComment(viewer, input);
  }

  @Mutation(() => types.Payload)
  agentSessionUpdate(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') input: AgentSessionUpdateInput,
  ) {
    return this.sessions.change(viewer, id, input);
  }

  @Mutation(() => types.Payload)
  agentSessionUpdateExternalUrl(
    @ViewerOf() viewer: Viewer,
    @Args('id') id: string,
    @Args('input') input: AgentSessionUpdateExternalUrlInput,
  ) {
    return this.sessions.change(viewer, id, input);
  }

  @Query(() => RepositorySuggestionsPayload)
  async issueRepositorySuggestions(
    @ViewerOf() viewer: Viewer,
    @Args() { issueId, candidateRepositories }: RepositoryArgs,
  ) {
    return { suggestions: await this.suggestions.of(viewer, issueId, candidateRepositories) };
  }
}
