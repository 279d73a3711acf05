import { WHOLE } from './whole-document.js';

type Ids = Readonly<Record<string, string>>;

export type Caller = 'alice' | 'bob' | 'agent' | 'pipeline';

/** What a step may refer to, by type. */
export interface Things {
  /** Of the seed document. */
  readonly seeded: Ids;
  /** The latest that a step made. */
  readonly made: Ids;
  /** The ids of users by their names. */
  readonly users: Ids;
  /** The states of the seeded team by their names, and statuses of projects by their types: `project completed`. */
  readonly states: Ids;
  /** An address on this machine that answers with a picture. */
  readonly picture: string;
}

/** A mutation of the client: the name of its document, its variables, and who calls it. */
export type Step = readonly [document: string, variables: (things: Things) => object, as?: Caller];

const URL = 'https://walk.example/1';
const COLOR = '#112233';
const LATER = '2027-01-01T00:00:00.000Z';

const { tracker } = WHOLE;
const [team] = tracker.teams;
const thread = team!.issues[0]!.comments![0]!;
const [project] = tracker.projects;
const [milestone] = project!.milestones as { id: string }[];

const archive = (type: string): Step => [`Archive${type}`, ({ made }) => ({ id: made[type] })];

/** Things that end: they are read archived, or with what their last states set. */
const ended: readonly Step[] = [
  [
    'CreateNotificationSubscription',
    () => ({ input: { teamId: team!.id, notificationSubscriptionTypes: ['issueCreated'] } }),
    'bob',
  ],
  ['CreateIssue', ({ seeded }) => ({ input: { teamId: seeded['Team'], title: 'Trash' } })],
  ['ArchiveIssue', ({ made }) => ({ id: made['Issue'], trash: true })],
  ['CreateIssue', ({ states }) => ({ input: { teamId: team!.id, title: 'All over', stateId: states['Canceled'] } })],
  [
    'CreateIssue',
    ({ states }) => ({
      input: {
        teamId: team!.id,
        title: 'All done',
        stateId: states['Done'],
        createAsUser: 'Ada',
        displayIconUrl: URL,
        sourceCommentId: team!.issues[0]!.comments![0]!.id,
      },
    }),
    'agent',
  ],
  ...['completed', 'canceled', 'started'].map((status): Step => [
    'CreateProject',
    ({ states }) => ({ input: { name: `All ${status}`, teamIds: [team!.id], statusId: states[`project ${status}`] } }),
  ]),
  ['CreateProjectUpdate', ({ made }) => ({ input: { projectId: made['Project'], body: 'Over' } })],
  archive('ProjectUpdate'),
  archive('Project'),
  ['CreateProject', () => ({ input: { name: 'Trash', teamIds: [team!.id] } })],
  ['DeleteProject', ({ made }) => ({ id: made['Project'] })],
  ['CreateProjectStatus', () => ({ input: { name: 'Old', color: COLOR, position: 10, type: 'started' } })],
  archive('ProjectStatus'),
  ['CreateInitiative', () => ({ input: { name: 'Old' } })],
  ['CreateInitiativeUpdate', ({ made }) => ({ input: { initiativeId: made['Initiative'], body: 'Over' } })],
  archive('InitiativeUpdate'),
  archive('Initiative'),
  ['CreateInitiative', () => ({ input: { name: 'Trash' } })],
  ['DeleteInitiative', ({ made }) => ({ id: made['Initiative'] })],
  ['CreateDocument', () => ({ input: { title: 'Trash', teamId: team!.id } })],
  // the content of a document has its id
  ['CreateComment', ({ made }) => ({ input: { documentContentId: made['Document'], body: 'Over' } })],
  ['UpdateDocument', ({ made }) => ({ id: made['Document'], input: { hiddenAt: LATER } })],
  ['DeleteDocument', ({ made }) => ({ id: made['Document'] })],
  ['CreateReleasePipeline', () => ({ input: { name: 'Old', teamIds: [team!.id] } })],
  [
    'CreateReleaseStage',
    ({ made }) => ({
      input: { pipelineId: made['ReleasePipeline'], name: 'Old', color: COLOR, position: 5, type: 'started' },
    }),
  ],
  archive('ReleaseStage'),
  ['CreateRelease', ({ made }) => ({ input: { pipelineId: made['ReleasePipeline'], name: 'Old' } })],
  archive('Release'),
  ['CreateRelease', ({ made }) => ({ input: { pipelineId: made['ReleasePipeline'], name: 'Trash' } })],
  ['DeleteRelease', ({ made }) => ({ id: made['Release'] })],
  archive('ReleasePipeline'),
  ['CreateReleasePipeline', () => ({ input: { name: 'Trash' } })],
  ['DeleteReleasePipeline', ({ made }) => ({ id: made['ReleasePipeline'] })],
  ['CreateTeam', () => ({ input: { name: 'Old', key: 'OLD' } })],
  ['DeleteTeam', ({ made }) => ({ id: made['Team'] })],
  [
    'CreateCycle',
    () => ({ input: { teamId: team!.id, startsAt: '2027-01-04T00:00:00.000Z', endsAt: '2027-01-18T00:00:00.000Z' } }),
  ],
  archive('Cycle'),
  ['CreateWorkflowState', () => ({ input: { teamId: team!.id, name: 'Old', type: 'started', color: COLOR } })],
  archive('WorkflowState'),
  ['CreateIssue', () => ({ input: { teamId: team!.id, title: 'By rote', templateId: team!.templates[0]!.id } })],
  ['CreateTemplate', () => ({ input: { name: 'Big', type: 'project', templateData: '{}' } })],
  ['CreateIssueLabel', () => ({ input: { name: 'Group', isGroup: true, teamId: team!.id } })],
  ['CreateIssueLabel', ({ made }) => ({ input: { name: 'Old', parentId: made['IssueLabel'], teamId: team!.id } })],
  ['IssueLabelRetire', ({ made }) => ({ id: made['IssueLabel'] })],
  [
    'UpdateTeam',
    ({ made, states }) => ({
      id: team!.id,
      input: {
        autoCloseStateId: states['Canceled'],
        defaultProjectTemplateId: made['Template'],
        icon: 'Rocket',
        defaultTemplateForMembersId: team!.templates[0]!.id,
        defaultTemplateForNonMembersId: team!.templates[0]!.id,
        autoClosePeriod: 6,
        autoCloseChildIssues: true,
        autoCloseParentIssues: true,
      },
    }),
  ],
];

const create: readonly Step[] = [
  ['CreateTeam', () => ({ input: { name: 'Walk', key: 'WLK', private: true } })],
  ['CreateTeamMembership', ({ made, users }) => ({ input: { teamId: made['Team'], userId: users['bob'] } })],
  [
    'CreateWorkflowState',
    ({ seeded }) => ({ input: { teamId: seeded['Team'], name: 'Walked', type: 'started', color: COLOR } }),
  ],
  ['CreateIssueLabel', ({ seeded }) => ({ input: { name: 'walk', teamId: seeded['Team'] } })],
  ['CreateProjectLabel', () => ({ input: { name: 'walk' } })],
  ['CreateInitiativeLabel', () => ({ input: { name: 'walk' } })],
  [
    'CreateCycle',
    ({ seeded }) => ({
      input: { teamId: seeded['Team'], startsAt: '2026-07-06T00:00:00.000Z', endsAt: '2026-07-20T00:00:00.000Z' },
    }),
  ],
  ['CreateProjectStatus', () => ({ input: { name: 'Walked', color: COLOR, position: 9, type: 'started' } })],
  [
    'CreateProject',
    ({ seeded, users }) => ({ input: { name: 'Walk', teamIds: [seeded['Team']], leadId: users['bob'] } }),
  ],
  ['CreateProjectMilestone', ({ made }) => ({ input: { name: 'First', projectId: made['Project'] } })],
  ['CreateProjectUpdate', ({ made }) => ({ input: { projectId: made['Project'], body: 'Going, @bob' } })],
  [
    'CreateProjectRelation',
    ({ made, seeded }) => ({
      input: {
        projectId: seeded['Project'],
        relatedProjectId: made['Project'],
        type: 'dependency',
        anchorType: 'end',
        relatedAnchorType: 'start',
      },
    }),
  ],
  [
    'CreateIssue',
    ({ seeded, users }) => ({ input: { teamId: seeded['Team'], title: 'Walk', assigneeId: users['bob'] } }),
  ],
  ['CreateIssueBatch', ({ seeded }) => ({ input: { issues: [{ teamId: seeded['Team'], title: 'Walk on' }] } })],
  ['CreateIssue', ({ seeded }) => ({ input: { teamId: seeded['Team'], title: 'Walk again' } })],
  [
    'CreateIssueRelation',
    ({ made, seeded }) => ({
      input: { issueId: made['Issue'], relatedIssueId: seeded['Issue'], type: 'related' },
    }),
  ],
  ['CreateComment', ({ made }) => ({ input: { issueId: made['Issue'], body: 'Look, @bob' } })],
  ['CreateReaction', ({ made }) => ({ input: { commentId: made['Comment'], emoji: '+1' } })],
  ['CreateAttachment', ({ made }) => ({ input: { issueId: made['Issue'], title: 'Run', url: URL } })],
  ['CreateDocument', ({ made }) => ({ input: { projectId: made['Project'], title: 'Walk' } })],
  ['CreateEntityExternalLink', ({ made }) => ({ input: { projectId: made['Project'], label: 'Walk', url: URL } })],
  ['CreateTemplate', () => ({ input: { name: 'Walk', type: 'issue', templateData: '{}' } })],
  ['CreateFavorite', ({ made }) => ({ input: { issueId: made['Issue'] } })],
  ['CreateCustomView', () => ({ input: { name: 'Walk' } })],
  [
    'CreateNotificationSubscription',
    ({ made }) => ({ input: { projectId: made['Project'], notificationSubscriptionTypes: ['projectUpdateCreated'] } }),
  ],
  ['CreateInitiative', () => ({ input: { name: 'Walk' } })],
  [
    'CreateInitiativeToProject',
    ({ made }) => ({ input: { initiativeId: made['Initiative'], projectId: made['Project'] } }),
  ],
  ['CreateInitiativeUpdate', ({ made }) => ({ input: { initiativeId: made['Initiative'], body: 'Going' } })],
  [
    'CreateInitiativeRelation',
    ({ made, seeded }) => ({
      input: { initiativeId: seeded['Initiative'], relatedInitiativeId: made['Initiative'] },
    }),
  ],
  ['CreateCustomerStatus', () => ({ input: { name: 'Walked', color: COLOR } })],
  ['CreateCustomerTier', () => ({ input: { name: 'Walked', color: COLOR } })],
  ['CreateCustomer', () => ({ input: { name: 'Walkers', domains: ['walk.example'] } })],
  [
    'CreateCustomerNeed',
    ({ made }) => ({ input: { customerId: made['Customer'], issueId: made['Issue'], body: 'More' } }),
  ],
  ['CustomerNeedCreateFromAttachment', ({ made }) => ({ input: { attachmentId: made['Attachment'] } })],
  ['CreateCustomerNeed', ({ made }) => ({ input: { customerId: made['Customer'], issueId: made['Issue'] } })],
  archive('CustomerNeed'),
  [
    'CreateCustomerNeed',
    ({ made }) => ({ input: { customerId: made['Customer'], commentId: made['Comment'], body: 'Faster' } }),
  ],
  [
    'UpdateCustomerNeed',
    ({ made }) => ({ id: made['CustomerNeed'], input: { priority: 1, applyPriorityToRelatedNeeds: true } }),
  ],
  ['UpdateCustomerNeed', ({ made, seeded }) => ({ id: made['CustomerNeed'], input: { issueId: seeded['Issue'] } })],
  ['CustomerUpsert', () => ({ input: { externalId: 'walk-1', name: 'Runners' } })],
  ['CreateReleasePipeline', ({ seeded }) => ({ input: { name: 'Walk', teamIds: [seeded['Team']] } })],
  [
    'CreateReleaseStage',
    ({ made }) => ({
      input: { pipelineId: made['ReleasePipeline'], name: 'Walking', color: COLOR, position: 5, type: 'started' },
    }),
  ],
  ['CreateRelease', ({ made }) => ({ input: { pipelineId: made['ReleasePipeline'], name: 'Walk', version: '1' } })],
  ['CreateIssueToRelease', ({ made }) => ({ input: { issueId: made['Issue'], releaseId: made['Release'] } })],
  [
    'CreateReleaseNote',
    ({ made }) => ({
      input: { pipelineId: made['ReleasePipeline'], title: 'Walk', content: 'On', releaseIds: [made['Release']] },
    }),
  ],
  [
    'CreateWebhook',
    ({ seeded }) => ({ input: { url: 'http://127.0.0.1:9/walk', teamId: seeded['Team'], resourceTypes: ['Issue'] } }),
  ],
];

const link = (name: string, fields: object): Step => [
  `AttachmentLink${name}`,
  ({ made }) => ({ issueId: made['Issue'], ...fields }),
];

const links: readonly Step[] = [
  link('Discord', { channelId: '1', messageId: '2', url: 'https://discord.com/channels/0/1/2' }),
  link('Front', { conversationId: 'cnv_1' }),
  link('GitHubIssue', { url: 'https://github.com/acme/app/issues/1' }),
  link('GitHubPr', { url: 'https://github.com/acme/app/pull/2' }),
  link('GitLabMr', {
    url: 'https://gitlab.com/acme/app/-/merge_requests/3',
    projectPathWithNamespace: 'acme/app',
    number: 3,
  }),
  link('Intercom', { conversationId: '4' }),
  link('JiraIssue', { jiraIssueId: 'ACME-5' }),
  link('Salesforce', { url: 'https://acme.my.salesforce.com/6' }),
  link('Slack', { url: 'https://acme.slack.com/archives/C0000000001/p1780302000000100' }),
  link('Url', { url: 'https://ci.example/7' }),
  link('Zendesk', { ticketId: '8' }),
];

const agents: readonly Step[] = [
  ['AgentSessionCreateOnIssue', ({ made }) => ({ input: { issueId: made['Issue'] } }), 'agent'],
  [
    'CreateAgentActivity',
    ({ made }) => ({
      input: { agentSessionId: made['AgentSession'], content: { type: 'elicitation', body: 'Which?' } },
    }),
    'agent',
  ],
  [
    'UpdateAgentSession',
    ({ made }) => ({
      id: made['AgentSession'],
      input: {
        plan: [{ content: 'Walk', status: 'inProgress' }],
        externalUrls: [{ label: 'Run', url: URL }],
      },
    }),
    'agent',
  ],
  [
    'AgentSessionUpdateExternalUrl',
    ({ made }) => ({
      id: made['AgentSession'],
      input: { addedExternalUrls: [{ label: 'Log', url: 'https://walk.example/2' }] },
    }),
    'agent',
  ],
  ['AgentSessionCreateOnComment', ({ made }) => ({ input: { commentId: made['Comment'] } }), 'agent'],
];

const releases: readonly Step[] = [
  [
    'ReleaseSync',
    ({ made }) => ({
      input: { pipelineId: made['ReleasePipeline'], commitSha: 'a1', name: 'Second', version: '2' },
    }),
  ],
  [
    'ReleaseUpdateByPipeline',
    ({ made }) => ({ input: { pipelineId: made['ReleasePipeline'], version: '2', description: 'Fast' } }),
  ],
  ['ReleaseComplete', ({ made }) => ({ input: { pipelineId: made['ReleasePipeline'], version: '2' } })],
  ['ReleaseSyncByAccessKey', () => ({ input: { commitSha: 'b2', name: 'Third', version: '3' } }), 'pipeline'],
  ['ReleaseUpdateByPipelineByAccessKey', () => ({ input: { version: '3', description: 'Slow' } }), 'pipeline'],
  ['ReleaseCompleteByAccessKey', () => ({ input: { version: '3' } }), 'pipeline'],
];

const favorite = (key: string, of: (things: Things) => string | undefined): Step => [
  'CreateFavorite',
  (things) => ({ input: { [key]: of(things) } }),
];
const comment = (fields: (things: Things) => object, as?: Caller): Step => [
  'CreateComment',
  (things) => ({ input: { body: 'Well', ...fields(things) } }),
  as,
];
const ofIssue = (input: (things: Things) => object): Step => [
  'UpdateIssue',
  (things) => ({ id: things.made['Issue'], input: input(things) }),
];

/** Gives values to what creations leave open: all fields of an issue, twice; comments, favorites and reactions anywhere. */
const fill: readonly Step[] = [
  ofIssue(({ made }) => ({ teamId: made['Team'] })),
  ofIssue(() => ({ teamId: team!.id, trashed: true })),
  ofIssue(() => ({ trashed: false })),
  archive('Issue'),
  ['UnarchiveIssue', ({ made }) => ({ id: made['Issue'] })],
  ofIssue(({ made }) => ({ removedReleaseIds: [made['Release']] })),
  ['CreateIssueToRelease', ({ made }) => ({ input: { issueId: made['Issue'], releaseId: made['Release'] } })],
  ['UpdateIssue', ({ made }) => ({ id: made['Issue'], input: { priority: 3 } }), 'agent'],
  ofIssue(({ users, states, seeded }) => ({
    title: 'Walk far',
    description: 'A long way.',
    dueDate: '2026-07-01',
    estimate: 2,
    labelIds: [team!.labels[0]!.id],
    stateId: states['QA'],
    assigneeId: users['bob'],
    projectId: project!.id,
    projectMilestoneId: milestone!.id,
    cycleId: team!.cycles[0]!.id,
    parentId: seeded['Issue'],
    delegateId: users['agent'],
    subIssueSortOrder: 1,
    lastAppliedTemplateId: team!.templates[0]!.id,
  })),
  ofIssue(({ users, states, made }) => ({
    title: 'Walk farther',
    dueDate: '2026-07-02',
    estimate: 3,
    removedLabelIds: [team!.labels[0]!.id],
    stateId: states['Done'],
    assigneeId: users['alice'],
    projectId: made['Project'],
    projectMilestoneId: made['ProjectMilestone'],
    cycleId: made['Cycle'],
    parentId: null,
    delegateId: null,
    snoozedUntilAt: LATER,
    snoozedById: users['alice'],
  })),
  ofIssue(({ states, users, seeded }) => ({
    stateId: states['Canceled'],
    description: 'Too far.',
    parentId: seeded['Issue'],
    delegateId: users['agent'],
  })),
  ofIssue(({ states }) => ({ stateId: states['QA'], addedLabelIds: [team!.labels[0]!.id] })),
  ['CommentUnresolve', () => ({ id: thread.id })],
  ['CommentResolve', () => ({ id: thread.id, resolvingCommentId: thread.replies[0]!.id })],
  ['CreateReaction', ({ made }) => ({ input: { issueId: made['Issue'], emoji: '+1' } })],
  ['CreateReaction', ({ made }) => ({ input: { projectUpdateId: made['ProjectUpdate'], emoji: '+1' } })],
  ['CreateReaction', ({ made }) => ({ input: { initiativeUpdateId: made['InitiativeUpdate'], emoji: '+1' } })],
  comment(({ made }) => ({ documentContentId: made['DocumentContent'] })),
  comment(({ made }) => ({ projectId: made['Project'] }), 'bob'),
  ['CreateReaction', ({ made }) => ({ input: { commentId: made['Comment'], emoji: '+1' } })],
  comment(({ made }) => ({ projectId: made['Project'], parentId: made['Comment'] })),
  comment(({ made }) => ({ projectId: made['Project'], body: 'Look, @bob' }), 'agent'),
  comment(({ made }) => ({ projectUpdateId: made['ProjectUpdate'] })),
  comment(({ made }) => ({ initiativeId: made['Initiative'] })),
  comment(({ made }) => ({ initiativeUpdateId: made['InitiativeUpdate'] })),
  comment(({ made }) => ({ issueId: made['Issue'] }), 'bob'),
  ['CreateReaction', ({ made }) => ({ input: { commentId: made['Comment'], emoji: '+1' } })],
  comment(({ made }) => ({ issueId: made['Issue'], parentId: made['Comment'], body: 'And @importer?' })),
  comment(({ made }) => ({ issueId: made['Issue'], createAsUser: 'Ada', displayIconUrl: URL }), 'agent'),
  comment(({ made }) => ({ issueId: made['Issue'], quotedText: 'far', body: 'Look here, @importer and @bob' })),
  ['CreateReaction', ({ made }) => ({ input: { commentId: made['Comment'], emoji: '+1' } })],
  favorite('projectId', ({ made }) => made['Project']),
  favorite('cycleId', ({ made }) => made['Cycle']),
  favorite('customViewId', ({ made }) => made['CustomView']),
  favorite('customerId', ({ made }) => made['Customer']),
  favorite('documentId', ({ made }) => made['Document']),
  favorite('initiativeId', ({ made }) => made['Initiative']),
  favorite('labelId', ({ made }) => made['IssueLabel']),
  favorite('projectLabelId', ({ made }) => made['ProjectLabel']),
  favorite('releaseId', ({ made }) => made['Release']),
  favorite('releaseNoteId', ({ made }) => made['ReleaseNote']),
  favorite('releasePipelineId', ({ made }) => made['ReleasePipeline']),
  favorite('userId', ({ users }) => users['bob']),
  favorite('teamId', () => team!.id),
  ['CreateFavorite', () => ({ input: { predefinedViewType: 'allIssues', predefinedViewTeamId: team!.id } })],
  favorite('folderName', () => 'Walks'),
  ['CreateFavorite', ({ made, users }) => ({ input: { userId: users['alice'], parentId: made['Favorite'] } })],
  ['CreateTemplate', () => ({ input: { name: 'Long', type: 'project', templateData: '{}' } })],
  [
    'UpdateProject',
    ({ made, users }) => ({
      id: made['Project'],
      input: {
        icon: 'Rocket',
        content: 'long',
        startDate: '2026-06-01',
        startDateResolution: 'month',
        targetDate: '2026-09-30',
        targetDateResolution: 'quarter',
        memberIds: [users['alice'], users['bob']],
        priority: 1,
        labelIds: [made['ProjectLabel']],
        lastAppliedTemplateId: made['Template'],
      },
    }),
  ],
  ['UpdateInitiative', ({ made }) => ({ id: made['Initiative'], input: { status: 'Active', content: 'long' } })],
  ['UpdateInitiative', ({ made }) => ({ id: made['Initiative'], input: { status: 'Completed' } })],
  [
    'UpdateUser',
    ({ users }) => ({
      id: users['alice'],
      input: { description: 'walks', title: 'CTO', timezone: 'Europe/Vienna', avatarUrl: URL, statusUntilAt: LATER },
    }),
  ],
  ['UpdateOrganization', () => ({ input: { logoUrl: 'https://walk.example/logo.png', gitBranchFormat: 'title' } })],
  ['UpdateOrganization', () => ({ input: { urlKey: `walk-${crypto.randomUUID().slice(0, 8)}` } })],
  [
    'CreateAgentActivity',
    ({ made }) => ({
      input: {
        agentSessionId: made['AgentSession'],
        content: { type: 'elicitation', body: 'Which?' },
        signal: 'select',
        signalMetadata: { options: [{ value: 'main' }] },
      },
    }),
    'agent',
  ],
  [
    'CreateAgentActivity',
    ({ made }) => ({
      input: {
        agentSessionId: made['AgentSession'],
        content: { type: 'action', action: 'Search', parameter: 'x', result: 'y' },
      },
    }),
    'agent',
  ],
  ...['thought', 'error', 'response'].map((type): Step => [
    'CreateAgentActivity',
    ({ made }) => ({ input: { agentSessionId: made['AgentSession'], content: { type, body: 'Well' } } }),
    'agent',
  ]),
];

/** `id` and the fields that are changed. */
const update = (type: string, input: object, name = `Update${type}`): Step => [
  name,
  ({ made }) => ({ id: made[type], input }),
];

const changes: readonly Step[] = [
  update('Attachment', { title: 'Run 2' }),
  update('Comment', { body: 'Look again' }),
  update('CustomView', { name: 'Walks' }),
  update('Customer', { name: 'Walkers 2' }),
  update('CustomerNeed', { body: 'Even more' }),
  update('CustomerStatus', { displayName: 'Walked' }),
  update('CustomerTier', { displayName: 'Walked' }),
  update('Cycle', { name: 'Walk' }),
  update('Document', { title: 'Walk 2' }),
  update('EntityExternalLink', { label: 'Walk 2' }),
  update('Favorite', { sortOrder: 3 }),
  update('Initiative', { description: 'far' }),
  update('InitiativeLabel', { description: 'far' }),
  update('InitiativeRelation', { sortOrder: 3 }),
  update('InitiativeToProject', { sortOrder: 3 }),
  update('InitiativeUpdate', { body: 'Going on' }),
  update('Issue', { priority: 2 }),
  ['UpdateIssueBatch', ({ made }) => ({ ids: [made['Issue']], input: { estimate: 3 } })],
  update('IssueLabel', { description: 'far' }),
  update('IssueRelation', { type: 'similar' }),
  update('Project', { description: 'far' }),
  update('ProjectLabel', { description: 'far' }),
  update('ProjectMilestone', { description: 'far' }),
  update('ProjectRelation', { anchorType: 'start' }),
  update('ProjectStatus', { description: 'far' }),
  update('ProjectUpdate', { body: 'Going on' }),
  update('Release', { description: 'far' }),
  update('ReleaseNote', { title: 'Walk 2' }),
  update('ReleasePipeline', { isProduction: true }),
  update('ReleaseStage', { name: 'Walked' }),
  update('Team', { description: 'far' }),
  // everyone sorts their own teams
  ['UpdateTeamMembership', ({ made }) => ({ id: made['TeamMembership'], input: { sortOrder: 3 } }), 'bob'],
  update('Template', { description: 'far' }),
  update('Webhook', { label: 'Walk' }),
  update('WorkflowState', { description: 'far' }),
  [
    'UpdateNotificationSubscription',
    ({ made }) => ({ id: made['NotificationSubscription'], input: { active: false } }),
  ],
  ['UpdateOrganization', () => ({ input: { name: 'Acme 2' } })],
  ['UpdateUser', ({ users }) => ({ id: users['alice'], input: { statusEmoji: '🚀', statusLabel: 'Away' } })],
  ['UserChangeRole', ({ users }) => ({ id: users['bob'], role: 'guest' })],
  ['UserChangeRole', ({ users }) => ({ id: users['bob'], role: 'user' })],
  ['SuspendUser', ({ users }) => ({ id: users['bob'] })],
  ['UnsuspendUser', ({ users }) => ({ id: users['bob'] })],
  ['CommentResolve', ({ made }) => ({ id: made['Comment'] })],
  ['CommentUnresolve', ({ made }) => ({ id: made['Comment'] })],
  ['CycleShiftAll', ({ made }) => ({ input: { id: made['Cycle'], daysToShift: 1 } })],
  ['CycleStartUpcomingCycleToday', ({ made }) => ({ id: made['Cycle'] })],
  ['FileUpload', () => ({ contentType: 'text/plain', filename: 'a.txt', size: 5, metaData: { n: 1 } })],
  ['ImageUploadFromUrl', ({ picture }) => ({ url: picture })],
  ...(['Issue', 'Project', 'Initiative'] as const).flatMap((type): Step[] => [
    [`${type}AddLabel`, ({ made }) => ({ id: made[type], labelId: made[`${type}Label`] })],
    [`${type}RemoveLabel`, ({ made }) => ({ id: made[type], labelId: made[`${type}Label`] })],
    [`${type}LabelRetire`, ({ made }) => ({ id: made[`${type}Label`] })],
    [`${type}LabelRestore`, ({ made }) => ({ id: made[`${type}Label`] })],
  ]),
  ['IssueReminder', ({ made }) => ({ id: made['Issue'], reminderAt: LATER })],
  ['IssueSubscribe', ({ made }) => ({ id: made['Issue'] })],
  ['IssueUnsubscribe', ({ made }) => ({ id: made['Issue'] })],
  ['RotateSecretWebhook', ({ made }) => ({ id: made['Webhook'] })],
];

/** What bob was told: of the issue that was assigned to him, and of mentions. */
const inbox: readonly Step[] = [
  ['UpdateNotification', ({ made }) => ({ id: made['IssueNotification'], input: { readAt: LATER } }), 'bob'],
  ['UpdateInboxNotification', ({ made }) => ({ id: made['IssueNotification'], input: { read: false } }), 'bob'],
  ['ArchiveNotification', ({ made }) => ({ id: made['IssueNotification'] }), 'bob'],
  ['UnarchiveNotification', ({ made }) => ({ id: made['IssueNotification'] }), 'bob'],
  ['NotificationMarkReadAll', ({ made }) => ({ input: { id: made['IssueNotification'] }, readAt: LATER }), 'bob'],
  ['NotificationMarkUnreadAll', ({ made }) => ({ input: { id: made['IssueNotification'] } }), 'bob'],
  ['NotificationSnoozeAll', ({ made }) => ({ input: { id: made['IssueNotification'] }, snoozedUntilAt: LATER }), 'bob'],
  ['NotificationUnsnoozeAll', ({ made }) => ({ input: { id: made['IssueNotification'] }, unsnoozedAt: LATER }), 'bob'],
  ['NotificationArchiveAll', ({ made }) => ({ input: { id: made['IssueNotification'] } }), 'bob'],
  [
    'UpdateNotification',
    ({ made }) => ({ id: made['ProjectNotification'], input: { readAt: LATER, snoozedUntilAt: LATER } }),
    'bob',
  ],
  [
    'NotificationUnsnoozeAll',
    ({ made }) => ({ input: { id: made['ProjectNotification'] }, unsnoozedAt: LATER }),
    'bob',
  ],
  ['NotificationArchiveAll', ({ made }) => ({ input: { id: made['ProjectNotification'] } }), 'bob'],
];

const byId = (verb: string, type: string): Step => [`${verb}${type}`, ({ made }) => ({ id: made[type] })];
const archived = (...types: string[]): Step[] =>
  types.flatMap((type) => [byId('Archive', type), byId('Unarchive', type)]);

const ends: readonly Step[] = [
  ...archived('CustomerNeed', 'Initiative', 'InitiativeUpdate', 'Issue', 'Project', 'ProjectStatus', 'ProjectUpdate'),
  ...archived('Release', 'ReleasePipeline', 'ReleaseStage'),
  byId('Archive', 'Cycle'),
  byId('Archive', 'WorkflowState'),
  byId('Delete', 'Document'),
  byId('Unarchive', 'Document'),
  ['IssueToReleaseDeleteByIssueAndRelease', ({ made }) => ({ issueId: made['Issue'], releaseId: made['Release'] })],
  ['CreateIssueToRelease', ({ made }) => ({ input: { issueId: made['Issue'], releaseId: made['Release'] } })],
  [
    'CustomerMerge',
    ({ made, seeded }) => ({ sourceCustomerId: made['Customer'], targetCustomerId: seeded['Customer'] }),
  ],
  ['CreateCustomer', () => ({ input: { name: 'Last' } })],
  ...[
    'IssueToRelease',
    'Reaction',
    'Comment',
    'CustomerNeed',
    'Attachment',
    'IssueRelation',
    'EntityExternalLink',
    'Favorite',
    'CustomView',
    'NotificationSubscription',
    'InitiativeRelation',
    'InitiativeToProject',
    'ProjectRelation',
    'ProjectMilestone',
    'ProjectUpdate',
    'ReleaseNote',
    'Release',
    'ReleasePipeline',
    'Customer',
    'CustomerStatus',
    'CustomerTier',
    'Template',
    'IssueLabel',
    'ProjectLabel',
    'InitiativeLabel',
    'Initiative',
    'Project',
    'Issue',
    'Webhook',
    'TeamMembership',
    'Team',
  ].map((type) => byId('Delete', type)),
  byId('Unarchive', 'Team'),
];

/** Makes and changes one of everything; what is read afterwards has values. */
export const BEFORE: readonly Step[] = [...ended, ...create, ...links, ...agents, ...releases, ...changes];
/** What needs ids that only answers to the steps before have. */
export const FILL: readonly Step[] = fill;
/** Needs what bob was told. */
export const INBOX: readonly Step[] = inbox;
/** Archives, restores and deletes all of it. */
export const AFTER: readonly Step[] = ends;
