import { Field, Float, ID, ObjectType } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { DateTime } from '../graphql/scalars.js';

/*
 * How somebody looks at a view: nothing stores that here, so no answer has one
 * (docs/reference/tracker.md#customview). Their fields are those which the official client's documents select.
 */

/** Fields that are true or false. */
const FLAGS = `
  automationFieldLastExecuted automationFieldStats automationFieldTeam automationFieldTrigger
  automationRunHistoryShowDuration automationRunHistoryShowInitiativeIdentifier
  automationRunHistoryShowIssueIdentifier automationRunHistoryShowProjectIdentifier automationShowDescendants
  automationShowDisabled closedIssuesOrderedByRecency continuousPipelineReleaseFieldReleaseDate
  continuousPipelineReleaseFieldReleaseNote continuousPipelineReleaseFieldVersion customViewFieldDateCreated
  customViewFieldDateUpdated customViewFieldOwner customViewFieldVisibility customerFieldDomains customerFieldOwner
  customerFieldRequestCount customerFieldRevenue customerFieldSize customerFieldSource customerFieldStatus
  customerFieldTier customerPageNeedsFieldIssueIdentifier customerPageNeedsFieldIssuePriority
  customerPageNeedsFieldIssueStatus customerPageNeedsFieldIssueTargetDueDate customerPageNeedsShowImportantFirst
  dashboardFieldDateCreated dashboardFieldDateUpdated dashboardFieldOwner documentFieldCreator
  documentFieldDateCreated documentFieldDateUpdated documentFieldOwner documentFieldParent
  embeddedCustomerNeedsShowImportantFirst fieldAssignee fieldCustomerCount fieldCustomerRevenue fieldCycle
  fieldDateArchived fieldDateCreated fieldDateMyActivity fieldDateUpdated fieldDueDate fieldEstimate fieldId
  fieldLabels fieldLinkCount fieldMilestone fieldPreviewLinks fieldPriority fieldProject fieldPullRequests
  fieldRelease fieldSentryIssues fieldSla fieldStatus fieldTimeInCurrentStatus fieldUserPresence
  initiativeFieldActivity initiativeFieldDateCompleted initiativeFieldDateCreated initiativeFieldDateUpdated
  initiativeFieldDescription initiativeFieldHealth initiativeFieldId initiativeFieldInitiativeHealth
  initiativeFieldLabels initiativeFieldLeadTeam initiativeFieldOwner initiativeFieldPriority initiativeFieldProjects
  initiativeFieldStartDate initiativeFieldStatus initiativeFieldTargetDate initiativeFieldTeams memberFieldJoined
  memberFieldStatus memberFieldTeams projectCustomerNeedsShowCompletedIssuesLast
  projectCustomerNeedsShowImportantFirst projectFieldActivity projectFieldCustomerCount projectFieldCustomerRevenue
  projectFieldDateCompleted projectFieldDateCreated projectFieldDateUpdated projectFieldDescription
  projectFieldDescriptionBoard projectFieldHealth projectFieldHealthTimeline projectFieldId projectFieldInitiatives
  projectFieldIssues projectFieldLabels projectFieldLead projectFieldLeadTimeline projectFieldMembers
  projectFieldMembersBoard projectFieldMembersList projectFieldMembersTimeline projectFieldMilestone
  projectFieldMilestoneTimeline projectFieldPredictions projectFieldPredictionsTimeline projectFieldPriority
  projectFieldRelations projectFieldRelationsTimeline projectFieldRoadmaps projectFieldRoadmapsBoard
  projectFieldRoadmapsList projectFieldRoadmapsTimeline projectFieldRolloutStage projectFieldStartDate
  projectFieldStatus projectFieldStatusTimeline projectFieldTargetDate projectFieldTeams projectFieldTeamsBoard
  projectFieldTeamsList projectFieldTeamsTimeline releasePipelineFieldLatestRelease releasePipelineFieldReleases
  releasePipelineFieldTeams releasePipelineFieldType reviewFieldAvatar reviewFieldChecks reviewFieldGithubTeam
  reviewFieldIdentifier reviewFieldOpenedAt reviewFieldPreviewLinks reviewFieldQuickToReview reviewFieldRepository
  reviewFieldReviewers reviewFieldSla reviewFieldStatusDetails scheduledPipelineReleaseFieldCompletion
  scheduledPipelineReleaseFieldDescription scheduledPipelineReleaseFieldReleaseDate
  scheduledPipelineReleaseFieldReleaseNote scheduledPipelineReleaseFieldVersion showArchivedItems showDraftReviews
  showEmptyGroups showEmptyGroupsBoard showEmptyGroupsList showEmptySubGroups showEmptySubGroupsBoard
  showEmptySubGroupsList showNestedInitiatives showOnlyLeadTeamProjects showOnlySnoozedItems showParents
  showReadItems showSnoozedItems showSubInitiativeProjects showSubIssues showSubTeamIssues showSubTeamProjects
  showSupervisedIssues showTeamInitiatives showTeamReviews showTriageIssues showUnreadItemsFirst teamFieldCycle
  teamFieldDateCreated teamFieldDateUpdated teamFieldIdentifier teamFieldMembers teamFieldMembership teamFieldOwner
  teamFieldProjects timelineChronologyShowWeekNumbers timelineShowProjectsAside`;

/** Fields that are words. */
const WORDS = `
  automationGrouping automationOrdering automationStatsPeriod continuousPipelineReleasesViewGrouping
  customViewsOrdering customerPageNeedsShowCompletedIssuesAndProjects customerPageNeedsViewGrouping
  customerPageNeedsViewOrdering customersViewOrdering dashboardsOrdering embeddedCustomerNeedsViewOrdering
  focusViewGrouping focusViewOrdering focusViewOrderingDirection groupOrderingMode inboxViewGrouping
  inboxViewOrdering initiativeGrouping initiativeGroupingLabelGroupId initiativesViewOrdering issueGrouping
  issueGroupingLabelGroupId issueNesting issueSubGrouping issueSubGroupingLabelGroupId layout
  projectCustomerNeedsViewGrouping projectCustomerNeedsViewOrdering projectGroupOrdering projectGrouping
  projectGroupingDateResolution projectGroupingLabelGroupId projectLayout projectShowEmptyGroups
  projectShowEmptyGroupsBoard projectShowEmptyGroupsList projectShowEmptyGroupsTimeline projectShowEmptySubGroups
  projectShowEmptySubGroupsBoard projectShowEmptySubGroupsList projectShowEmptySubGroupsTimeline projectSubGrouping
  projectSubGroupingLabelGroupId projectViewOrdering projectZoomLevel releasePipelineGrouping
  releasePipelinesViewOrdering reviewGrouping reviewViewOrdering scheduledPipelineReleasesViewGrouping
  scheduledPipelineReleasesViewOrdering searchResultType searchViewOrdering showCompletedAgentSessions
  showCompletedIssues showCompletedProjects showCompletedReviews teamViewOrdering triageViewOrdering viewOrdering
  viewOrderingDirection workspaceMembersViewOrdering`;

/** Fields that are lists of words. */
const LISTS = `
  columnOrderBoard columnOrderList hiddenColumns hiddenGroupsList hiddenRows timelineChronologyShowCycleTeamIds`;

@ObjectType({ isAbstract: true })
abstract class LabelGroupColumn {
  @Field() active!: boolean;
  @Field() id!: string;
}

@ObjectType()
export class ViewPreferencesInitiativeLabelGroupColumn extends LabelGroupColumn {}

@ObjectType()
export class ViewPreferencesProjectLabelGroupColumn extends LabelGroupColumn {}

@ObjectType()
export class ViewPreferencesValues {
  @OptionalField(() => [ViewPreferencesInitiativeLabelGroupColumn])
  initiativeLabelGroupColumns?: ViewPreferencesInitiativeLabelGroupColumn[] | null;
  @OptionalField(() => [ViewPreferencesProjectLabelGroupColumn])
  projectLabelGroupColumns?: ViewPreferencesProjectLabelGroupColumn[] | null;
  @OptionalField(() => Float) timelineZoomScale?: number | null;
}
for (const [names, type] of [
  [FLAGS, () => Boolean],
  [WORDS, () => String],
  [LISTS, () => [String]],
] as const) {
  for (const name of names.trim().split(/\s+/)) OptionalField(type)(ViewPreferencesValues.prototype, name);
}

@ObjectType()
export class ViewPreferences {
  @Field(() => ID) id!: string;
  @OptionalField(() => DateTime) archivedAt?: Date | null;
  @Field(() => DateTime) createdAt!: Date;
  @Field(() => DateTime) updatedAt!: Date;
  @Field() type!: string;
  @Field() viewType!: string;
  @Field(() => ViewPreferencesValues) preferences!: ViewPreferencesValues;
}
