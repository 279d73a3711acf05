import { AiPromptRules, DocumentContent, PaidSubscription, WelcomeMessage } from './graphql/references.types.js';
import { always, type Relations, relationsOf } from './graphql/relations.js';
import { initiatives } from './initiatives/initiative.entity.js';
import { IssueType } from './issues/issues.types.js';
import { UserType } from './organization/users/users.types.js';
import { projectMilestones } from './projects/milestones/project-milestone.entity.js';
import { ProjectType } from './projects/projects.types.js';

/** The references among types that exist for references only (docs/reference/tracker.md#operations). */
export const referenceRelations: readonly Relations[] = [
  relationsOf(() => AiPromptRules, { updatedBy: always(() => UserType, null) }),
  relationsOf(() => WelcomeMessage, { updatedBy: always(() => UserType, null) }),
  relationsOf(() => DocumentContent, {
    issue: always(() => IssueType, null),
    project: always(() => ProjectType, null),
    initiative: always(() => initiatives.types.Type, null),
    projectMilestone: always(() => projectMilestones.types.Type, null),
  }),
  relationsOf(() => PaidSubscription, { creator: always(() => UserType, null) }),
];
