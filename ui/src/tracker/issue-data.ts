import type { UseQueryResult } from '@tanstack/react-query';
import { useTracker } from './live.js';
import { ask, type Document, type Issue, type Named, type Nodes } from './tracker-api.js';

export interface Linked {
  id: string;
  identifier: string;
  title: string;
  state: { id: string; name: string; type: string; color: string; position: number };
  team: { key: string };
}

export interface Relation {
  id: string;
  type: string;
  /** Its other end. */
  issue: Linked;
}

export interface ReactionData {
  emoji: string;
  reactions: { id: string; userId: string }[];
}

export interface Comment {
  id: string;
  body: string;
  parentId: string | null;
  createdAt: string;
  editedAt: string | null;
  resolvedAt: string | null;
  resolvingUser: { id: string } | null;
  user: { id: string } | null;
  botActor: { name: string | null; userDisplayName: string | null } | null;
  reactionData: ReactionData[];
}

interface Ref {
  name?: string;
  title?: string;
  identifier?: string;
  number?: number;
}

/** What was changed by one act: what does not say anything is null. */
export interface Change {
  id: string;
  createdAt: string;
  actor: { id: string } | null;
  botActor: { name: string | null } | null;
  [field: string]:
    Ref | Ref[] | { identifier: string; type: string }[] | string | number | boolean | null | undefined | object;
}

export interface WholeIssue extends Omit<Issue, 'agentSessions' | 'project' | 'cycle'> {
  updatedAt: string;
  dueDate: string | null;
  estimate: number | null;
  description: string | null;
  url: string;
  branchName: string;
  creator: { id: string } | null;
  parent: { identifier: string; title: string } | null;
  project: { id: string; name: string; slugId: string } | null;
  cycle: { id: string } | null;
  milestone: Named | null;
  /** The milestones of its project. */
  milestones: Named[];
  reactionData: ReactionData[];
  children: Nodes<Linked>;
  relations: Relation[];
  inverseRelations: Relation[];
  attachments: Nodes<{ id: string; title: string; subtitle: string | null; url: string; sourceType: string | null }>;
  documents: Nodes<Document>;
  comments: Nodes<Comment>;
  history: Nodes<Change>;
}

const LINKED = 'id identifier title state { id name type color position } team { key }';
const WHOLE = `query ($id: String!) { issue(id: $id) {
  id identifier title description url branchName priority labelIds createdAt updatedAt dueDate estimate reactionData
  state { id } assignee { id } delegate { id } creator { id } parent { identifier title }
  milestone: projectMilestone { id name }
  project { id name slugId projectMilestones(first: 50) { nodes { id name } } } cycle { id }
  children(first: 100) { nodes { ${LINKED} } }
  relations(first: 50) { nodes { id type relatedIssue { ${LINKED} } } }
  inverseRelations(first: 50) { nodes { id type issue { ${LINKED} } } }
  attachments(first: 100) { nodes { id title subtitle url sourceType } }
  documents(first: 50) { nodes { id title content } } } }`;
export const COMMENT_FIELDS = `id body parentId createdAt editedAt resolvedAt resolvingUser { id } user { id }
  botActor { name userDisplayName } reactionData`;
const COMMENTS = `query ($id: String!) { issue(id: $id) { comments(first: 250) { nodes { ${COMMENT_FIELDS} } } } }`;
const HISTORY = `query ($id: String!) { issue(id: $id) { history(first: 100) { nodes {
  id createdAt actor { id } botActor { name } fromTitle toTitle fromPriority toPriority fromEstimate toEstimate fromDueDate toDueDate
  updatedDescription archived trashed fromState { name } toState { name } fromAssignee { name } toAssignee { name }
  fromDelegate { name } toDelegate { name } fromProject { name } toProject { name } fromProjectMilestone { name }
  toProjectMilestone { name } fromCycle { number name } toCycle { number name } fromTeam { name } toTeam { name }
  fromParent { identifier } toParent { identifier } addedLabels { name } removedLabels { name } attachment { title }
  attachmentId relationChanges { identifier type } } } } }`;

type Asked = Omit<WholeIssue, 'relations' | 'inverseRelations' | 'milestones' | 'project'> & {
  project: (WholeIssue['project'] & { projectMilestones: Nodes<Named> }) | null;
  relations: Nodes<{ id: string; type: string; relatedIssue: Linked }>;
  inverseRelations: Nodes<Relation>;
};

/** An issue with what belongs to it. */
export const useIssue = (identifier: string): UseQueryResult<WholeIssue> =>
  useTracker('issue', [identifier], async () => {
    const id = { id: identifier };
    const [{ issue }, comments, history] = await Promise.all([
      ask<{ issue: Asked }>(WHOLE, id),
      ask<{ issue: Pick<WholeIssue, 'comments'> }>(COMMENTS, id),
      ask<{ issue: Pick<WholeIssue, 'history'> }>(HISTORY, id),
    ]);
    return {
      ...issue,
      milestones: issue.project?.projectMilestones.nodes ?? [],
      relations: issue.relations.nodes.map(({ id: relation, type, relatedIssue }) => ({
        id: relation,
        type,
        issue: relatedIssue,
      })),
      inverseRelations: issue.inverseRelations.nodes,
      comments: comments.issue.comments,
      history: history.issue.history,
    };
  });
