import { Field, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import {
  computed,
  computedBy,
  constant,
  flag,
  jsonText,
  moment,
  reference,
  text,
  url,
  word,
} from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { typeNamed } from '../../graphql/relations.js';
import { DateTime, JsonText } from '../../graphql/scalars.js';
import { connectionsOf, of } from '../../store/connections.js';

export enum AgentSessionStatus {
  active = 'active',
  awaitingInput = 'awaitingInput',
  complete = 'complete',
  error = 'error',
  pending = 'pending',
  stale = 'stale',
  stopping = 'stopping',
}
registerEnumType(AgentSessionStatus, { name: 'AgentSessionStatus' });

export enum AgentSessionType {
  commentThread = 'commentThread',
}
registerEnumType(AgentSessionType, { name: 'AgentSessionType' });

@ObjectType()
export class AgentSessionExternalLink {
  @Field() label!: string;
  @Field() url!: string;
}

const set = { create: false, update: false, seed: false, filter: false } as const;
const refers = { nullable: true, create: false, update: false, seed: false, through: false } as const;

/** What an application does as an agent in a thread of an issue (docs/reference/tracker-agents.md#sessions). */
@Entity('tracker_agent_sessions')
@Index('tracker_agent_sessions_page', ['organizationId', 'createdAt', 'id'])
@Index('tracker_agent_sessions_of_issue', ['issueId', 'createdAt', 'id'])
@Index('tracker_agent_sessions_of_comment', ['commentId', 'createdAt', 'id'], { where: 'comment_id IS NOT NULL' })
@Index('tracker_agent_sessions_of_source', ['sourceCommentId'], { where: 'source_comment_id IS NOT NULL' })
@Index('tracker_agent_sessions_stale', ['staleAt'], { where: 'stale_at IS NOT NULL' })
@Index('tracker_agent_sessions_unresponsive', ['unresponsiveAt'], { where: 'unresponsive_at IS NOT NULL' })
export class AgentSession extends rowOf({
  appUserId: reference('User', { ...set, through: false }),
  issueId: reference('Issue', { onDelete: 'CASCADE', owner: true, create: false, update: false, shown: false }),
  commentId: reference('Comment', { ...refers, onDelete: 'SET NULL' }),
  sourceCommentId: reference('Comment', { ...refers, onDelete: 'SET NULL' }),
  creatorId: reference('User', refers),
  isDelegated: flag({ ...set, default: false, shown: false, event: false }),
  status: word({
    ...set,
    oneOf: Object.values(AgentSessionStatus),
    enum: () => AgentSessionStatus,
    default: 'pending',
  }),
  slugId: text(set),
  summary: text({ ...set, nullable: true }),
  externalLink: url({ ...set, nullable: true }),
  externalUrls: jsonText<AgentSessionExternalLink[]>({ ...set, default: [] }),
  plan: jsonText<object[] | null>({ ...set, nullable: true }),
  startedAt: moment({ ...set, nullable: true }),
  endedAt: moment({ ...set, nullable: true }),
  dismissedAt: moment({ ...set, nullable: true }),
  dismissedById: reference('User', refers),
  staleAt: moment({ ...set, nullable: true, shown: false, event: false }),
  unresponsiveAt: moment({ ...set, nullable: true, shown: false, event: false }),
  ...computedBy(() => JsonText, 'context'),
  ...computedBy(() => [AgentSessionExternalLink], 'externalLinks'),
  ...computed(() => typeNamed('Issue'), 'issue'),
  ...computed(() => String, 'url'),
  ...computed(() => AgentSessionType, 'type'),
  sourceMetadata: constant(() => JsonText, null),
  archivedAt: constant(() => DateTime, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    AgentSession: AgentSession;
  }
}

export const agentSessions = declareEntity('AgentSession', AgentSession, {
  alias: 'gs',
  access: accessWith('Issue', 'issueId'),
  isUnfiltered: true,
  event: { word: 'agentSession' },
  changes: { name: 'agent_session', follows: ['stale_at', 'unresponsive_at'] },
});

/** The sessions of an issue, and those whose thread a comment begins. */
export const sessionsOfIssue = connectionsOf('Issue', { agentSessions: of('AgentSession', 'issue_id') }).agentSessions;
export const sessionsOfComment = connectionsOf('Comment', {
  agentSessions: of('AgentSession', 'comment_id'),
}).agentSessions;

/** Sessions that have not ended and that nobody has dismissed. */
export const isOpen = ({ status, dismissedAt }: Pick<AgentSession, 'status' | 'dismissedAt'>): boolean =>
  dismissedAt === null && status !== 'complete' && status !== 'error';
