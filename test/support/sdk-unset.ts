/** Things that nobody archives. */
const NEVER_ARCHIVED = [
  'AccessKeyRelease',
  'AgentSession',
  'Attachment',
  'Comment',
  'CustomView',
  'Customer',
  'CustomerStatus',
  'CustomerTier',
  'EntityExternalLink',
  'ExternalUser',
  'Favorite',
  'InitiativeHistory',
  'InitiativeLabel',
  'InitiativeRelation',
  'InitiativeToProject',
  'Integration',
  'IssueHistory',
  'IssueLabel',
  'IssueRelation',
  'IssueToRelease',
  'Organization',
  'ProjectAttachment',
  'ProjectHistory',
  'ProjectLabel',
  'ProjectMilestone',
  'ProjectNotificationSubscription',
  'ProjectRelation',
  'Reaction',
  'ReleaseHistory',
  'ReleaseNote',
  'TeamMembership',
  'TeamNotificationSubscription',
  'Template',
  'User',
  'Webhook',
];

const each = (types: readonly string[], ...names: string[]): string[] =>
  types.flatMap((type) => names.map((name) => `${type}.${name}`));
const ISSUES = ['Issue', 'IssueSearchResult'];
const PROJECTS = ['Project', 'ProjectSearchResult'];
const SUBSCRIPTIONS = ['ProjectNotificationSubscription', 'TeamNotificationSubscription'];

/**
 * Fields that have no value in the walk over the client's documents, by the reason why no object has one: all others
 * have one there (docs/reference/tracker.md#entities).
 */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  'nobody archives it': each(NEVER_ARCHIVED, 'archivedAt'),
  'nothing is archived or closed by itself': [
    ...each([...ISSUES, ...PROJECTS, 'Cycle', 'Release'], 'autoArchivedAt'),
    ...each(ISSUES, 'autoClosedAt'),
    ...each(['IssueHistory'], 'autoArchived', 'autoClosed'),
  ],
  'there are no other services that things come from': [
    ...each(['ActorBot'], 'subType'),
    ...each(['AgentActivity', 'AgentSession'], 'sourceMetadata'),
    ...each(['Attachment'], 'bodyData', 'externalUserCreator', 'originalIssue'),
    ...each(['Comment'], 'externalThread', 'externalUser', 'syncedWith'),
    ...each(['Customer'], 'integration', 'slackChannelId'),
    ...each(['ExternalUser'], 'lastSeen'),
    ...each(['IssueNotification', 'ProjectNotification'], 'externalUserActor'),
    ...each(
      ISSUES,
      'asksExternalUserRequester',
      'asksRequester',
      'externalUserCreator',
      'integrationSourceType',
      'syncedWith',
    ),
    ...each(['IssueHistory'], 'issueImport'),
    ...each(['Initiative', 'Team', ...PROJECTS], 'integrationsSettings'),
    ...each(['Organization'], 'slackProjectChannelIntegration'),
    ...each(PROJECTS, 'microsoftTeamsChannelId', 'slackChannelId', 'syncedWith'),
    ...each(['Reaction'], 'externalUser'),
    ...each(['Team'], 'scimGroupName'),
    ...each(['User'], 'calendarHash', 'gitHubUserId'),
  ],
  'there is no SLA, triage, recurrence, conversion or sharing of issues': [
    ...each(
      ISSUES,
      'recurringIssueTemplate',
      'slaBreachesAt',
      'slaHighRiskAt',
      'slaMediumRiskAt',
      'slaStartedAt',
      'slaType',
    ),
    ...each(ISSUES, 'startedTriageAt', 'triagedAt'),
    ...each(['IssueHistory'], 'fromSlaBreached', 'fromSlaBreachesAt', 'fromSlaStartedAt', 'fromSlaType'),
    ...each(['IssueHistory'], 'toSlaBreached', 'toSlaBreachesAt', 'toSlaStartedAt', 'toSlaType'),
    ...each(['IssueHistory'], 'toConvertedProject', 'toConvertedProjectId'),
    ...each(['IssueHistory'], 'triageResponsibilityAutoAssigned', 'triageResponsibilityNotifiedUsers'),
    ...each(['IssueHistory'], 'triageResponsibilityTeam'),
    ...each(['IssueSharedAccess'], 'disallowedIssueFields', 'sharedWithUsers'),
    ...each(PROJECTS, 'convertedFromIssue'),
    ...each(['Team'], 'triageIssueState', 'triageResponsibility'),
  ],
  'there are no teams below teams, nor automations of states': [
    ...each(['Cycle', 'IssueLabel', 'ProjectLabel', 'Template', 'WorkflowState'], 'inheritedFrom'),
    ...each(
      ['Team'],
      'draftWorkflowState',
      'markedAsDuplicateWorkflowState',
      'mergeWorkflowState',
      'mergeableWorkflowState',
    ),
    ...each(['Team'], 'parent', 'retiredAt', 'reviewWorkflowState', 'startWorkflowState'),
  ],
  'no progress by day is kept': [
    ...each(['Cycle', ...PROJECTS], 'completedIssueCountHistory', 'completedScopeHistory', 'inProgressScopeHistory'),
    ...each(['Cycle', ...PROJECTS], 'issueCountHistory', 'scopeHistory'),
  ],
  'nobody is reminded of updates, and their differences are not kept': [
    ...each(['Initiative', ...PROJECTS], 'updateReminderFrequency', 'updateReminderFrequencyInWeeks'),
    ...each(['Initiative', ...PROJECTS], 'updateRemindersDay', 'updateRemindersHour'),
    ...each(PROJECTS, 'projectUpdateRemindersPausedUntilAt'),
    ...each(['InitiativeUpdate', 'ProjectUpdate'], 'diff', 'diffMarkdown'),
    ...each(['Organization'], 'initiativeUpdateReminderFrequencyInWeeks', 'projectUpdateReminderFrequencyInWeeks'),
    ...each(['ProjectUpdate'], 'shortSummary'),
  ],
  'a content refers to its document alone': [
    ...each(['DocumentContent'], 'aiPromptRules', 'contentState', 'initiative', 'issue', 'project', 'projectMilestone'),
    ...each(['DocumentContent'], 'restoredAt', 'welcomeMessage'),
    ...each(['Initiative', 'ProjectMilestone', ...PROJECTS], 'documentContent'),
  ],
  'no input sets it': [
    ...each(['AgentActivityPromptContent'], 'title'),
    ...each(['ArchiveResponse'], 'includesDependencies'),
    ...each(['CustomView'], 'feedItemFilterData', 'initiativeFilterData', 'organizationViewPreferences'),
    ...each(['CustomView'], 'userViewPreferences', 'viewPreferencesValues'),
    ...each(['CustomerNeed'], 'content', 'projectAttachment'),
    ...each(['Favorite'], 'initiativeTab', 'liveFolderDefinition', 'liveFolderPreset', 'pipelineTab', 'projectTab'),
    ...each(['Favorite'], 'projectTeam', 'workflowDefinition'),
    ...each(['Initiative'], 'leadTeam'),
    ...each(['IssueHistory'], 'customerNeedId'),
    ...each(['Organization'], 'allowedAuthServices', 'allowedFileUploadContentTypes', 'defaultFeedSummarySchedule'),
    ...each(['Organization'], 'defaultHomeView', 'defaultHomeViewTargetId', 'deletionRequestedAt'),
    ...each(['Organization'], 'subscription', 'trialEndsAt', 'trialStartsAt'),
    ...each(['ReleaseNote'], 'generationStatus'),
    ...each(['ReleasePipeline'], 'releaseNoteTemplate'),
    ...each(['Template'], 'content', 'pipeline'),
    ...each(['User'], 'disableReason'),
  ],
  'notifications are told here alone, of a document by one of their own': [
    ...each(['IssueNotification', 'ProjectNotification'], 'emailedAt'),
    ...each(['ProjectNotification'], 'document', 'projectMilestoneId'),
  ],
  'a subscription has one target, a project or a team in the walk': [
    ...each(SUBSCRIPTIONS, 'contextViewType', 'userContextViewType', 'customView', 'customer', 'cycle'),
    ...each(SUBSCRIPTIONS, 'initiative', 'label', 'user'),
    'ProjectNotificationSubscription.team',
    'TeamNotificationSubscription.project',
  ],
};

/** `Type.field`. */
export const UNSET: ReadonlySet<string> = new Set(Object.values(REASONS).flat());
