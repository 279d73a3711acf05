import { Entity, Index } from 'typeorm';
import { declareEntity, rowOf } from '../../entity/declare.js';
import { constant, flag, json, jsonText, moment, reference, word } from '../../entity/fields.js';
import { accessWith } from '../../entity/owned-access.queries.js';
import { JsonText } from '../../graphql/scalars.js';
import { listedLive } from '../../store/define-entity.js';
import { AgentActivityContent, AgentActivitySignal } from './agent-content.js';

const set = { create: false, update: false, seed: false } as const;

/** What an agent or a person says in a session (docs/reference/tracker-agents.md#activities). */
@Entity('tracker_agent_activities')
@Index('tracker_agent_activities_page', ['organizationId', 'createdAt', 'id'])
@Index('tracker_agent_activities_of_session', ['agentSessionId', 'createdAt', 'id'])
@Index('tracker_agent_activities_of_source', ['sourceCommentId'], { where: 'source_comment_id IS NOT NULL' })
export class AgentActivity extends rowOf({
  agentSessionId: reference('AgentSession', {
    ...set,
    onDelete: 'CASCADE',
    owner: true,
    through: false,
    backed: 'activities',
  }),
  userId: reference('User', { ...set, through: false }),
  type: word({ ...set, shown: false, event: false }),
  content: json({ ...set, enum: () => AgentActivityContent, filter: false }),
  ephemeral: flag({ ...set, default: false, filter: false }),
  signal: word({
    ...set,
    oneOf: Object.values(AgentActivitySignal),
    enum: () => AgentActivitySignal,
    nullable: true,
    filter: false,
  }),
  signalMetadata: jsonText<Record<string, unknown> | null>({ ...set, nullable: true, filter: false }),
  sourceCommentId: reference('Comment', { ...set, nullable: true, onDelete: 'SET NULL' }),
  archivedAt: moment({ ...set, nullable: true, filter: false }),
  sourceMetadata: constant(() => JsonText, null),
}) {}

declare module '../../store/entity-rows.js' {
  interface EntityRows {
    AgentActivity: AgentActivity;
  }
}

export const agentActivities = declareEntity('AgentActivity', AgentActivity, {
  alias: 'ga',
  plural: 'agentActivities',
  access: accessWith('AgentSession', 'agentSessionId'),
  listed: listedLive,
  filter: {
    agentSessionId: {
      key: { is: 'text', sql: (a) => `${a}.agent_session_id::text` },
      input: 'StringComparator',
    },
  },
  event: { word: 'agentActivity' },
  changes: { name: 'agent_activity' },
});
