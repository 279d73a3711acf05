import { Injectable } from '@nestjs/common';
import { Db } from '../../../kernel/database/db.js';
import type { ProductActed } from '../../../kernel/sandbox/product-acts.js';
import type { Viewer } from '../../access/viewer.js';
import {
  APP_USERS_AMONG,
  REPLIES_AFTER,
  SESSION_ASKED,
  SESSIONS_OF_ISSUE,
  type ReplyRow,
} from './act-replies.queries.js';

/** Where an act was done. */
export interface ActPlace {
  readonly issueId?: string;
  /** The thread's first comment; absent: all of the issue. */
  readonly threadId?: string;
}

type Json = Record<string, unknown>;

/** What applications do in response to people's acts (docs/reference/acting.md#answer). */
@Injectable()
export class ActReplies {
  constructor(private readonly db: Db) {}

  /** The sessions of an issue, the newest first. */
  async sessionsOf(issueId: string): Promise<string[]> {
    return (await this.db.read<{ id: string }>(SESSIONS_OF_ISSUE, [issueId])).map(({ id }) => id);
  }

  /** The session that a comment has begun or prompted. */
  async sessionAsked(commentId: string): Promise<string | undefined> {
    const [row] = await this.db.read<{ id: string }>(SESSION_ASKED, [commentId]);
    return row?.id;
  }

  /** @param sessionId that session's activities alone; absent: those of all sessions of the issue */
  at(viewer: Viewer, place: ActPlace, sessionId?: string): NonNullable<ProductActed['replies']> {
    return async ({ after, from }) => {
      const rows = await this.db.read<ReplyRow>(REPLIES_AFTER, [viewer.tenantId, after]);
      const said = rows.map(({ kind, data, at }) => ({
        kind,
        data: (JSON.parse(data) as { data: Json }).data,
        ms: Math.max(0, Math.round(at - from)),
      }));
      const comments = said.filter(({ kind, data }) => kind === 'comment.created' && isThere(data, place));
      const activities = said.filter(({ kind, data }) => kind === 'agentActivity.created' && !isPrompt(data));
      const authors = [...new Set(comments.map(({ data }) => data['userId']))].filter(Boolean);
      const [apps, sessions] = await Promise.all([
        authors.length === 0 ? [] : this.db.read<{ id: string }>(APP_USERS_AMONG, [viewer.organizationId, authors]),
        sessionId !== undefined
          ? [sessionId]
          : place.issueId === undefined || activities.length === 0
            ? []
            : this.sessionsOf(place.issueId),
      ]);
      return {
        comments: comments
          .filter(({ data }) => apps.some(({ id }) => id === data['userId']))
          .map(({ data, ms }) => ({ ...shownComment(data), ms })),
        activities: activities
          .filter(({ data }) => sessions.includes(String(data['agentSessionId'])))
          .map(({ data, ms }) => ({ ...shownActivity(data), session_id: data['agentSessionId'], ms })),
      };
    };
  }
}

const isPrompt = ({ content }: Json): boolean => (content as Json)['type'] === 'prompt';

function isThere(comment: Json, { issueId, threadId }: ActPlace): boolean {
  if (threadId !== undefined) return comment['parentId'] === threadId;
  return comment['issueId'] === issueId;
}

const shownComment = (comment: Json): Json => ({
  id: comment['id'],
  body: comment['body'],
  parent_id: comment['parentId'] ?? null,
  issue_id: comment['issueId'] ?? null,
  user_id: comment['userId'] ?? null,
  user_name: (comment['user'] as Json | undefined)?.['name'] ?? null,
  at: comment['createdAt'],
});

/** An activity of a session, of its row or of its event. */
export function shownActivity(activity: Readonly<Record<string, unknown>>): Json & { type: string } {
  const { type, ...content } = activity['content'] as { type: string };
  return {
    id: activity['id'],
    type,
    body: null,
    ...content,
    ephemeral: activity['ephemeral'],
    signal: activity['signal'] ?? null,
    signal_metadata: activity['signalMetadata'] ?? null,
    at: activity['createdAt'],
  };
}
