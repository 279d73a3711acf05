import { rest } from '../api/client.js';
import { personaToken } from '../api/persona.js';
import { urlOf } from '../api/base.js';
import { ApiError } from '../api/errors.js';
import { withRetries } from '../api/retries.js';

interface Answer<T> {
  data?: T;
  errors?: { message: string; extensions?: { userPresentableMessage?: string; code?: string } }[];
}

/**
 * Asks the tracker as the person this tab acts as.
 * @throws ApiError
 */
export async function ask<T>(query: string, variables: object = {}): Promise<T> {
  const once = async (): Promise<T> => {
    const response = await fetch(urlOf('graphql'), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${await personaToken()}` },
      body: JSON.stringify({ query, variables }),
    }).catch(() => {
      throw new ApiError('offline', 0);
    });
    const { data, errors } = (await response.json().catch(() => ({}))) as Answer<T>;
    const [error] = errors ?? [];
    if (error || !data)
      throw new ApiError(
        error?.extensions?.userPresentableMessage ?? error?.message ?? 'internal_error',
        response.status,
      );
    return data;
  };
  return query.startsWith('mutation') ? once() : withRetries(once);
}

interface Acted {
  result: { id?: string; identifier?: string; session_id?: string };
}

/**
 * Does something as the person this tab acts as, without waiting for apps.
 * @throws ApiError
 */
export const act = async (verb: string, fields: object): Promise<Acted['result']> =>
  (
    await rest<Acted & Record<string, unknown>>(`POST /act/${verb}`, {
      as: 'persona',
      body: { ...fields, until: 'none' },
    })
  ).result;

export interface Person {
  id: string;
  name: string;
  displayName: string;
  active: boolean;
  app: boolean;
  admin: boolean;
  isMe: boolean;
  isAssignable: boolean;
  isMentionable: boolean;
}

export interface Team {
  id: string;
  key: string;
  name: string;
}

export interface State {
  id: string;
  name: string;
  type: string;
  color: string;
  position: number;
}

export interface Label {
  id: string;
  name: string;
  color: string;
}

export interface Named {
  id: string;
  name: string;
}

export interface Cycle {
  id: string;
  number: number;
  name: string | null;
  startsAt: string;
  endsAt: string;
  progress: number;
  isActive: boolean;
  isPast: boolean;
}

export interface Document {
  id: string;
  title: string;
  content: string | null;
}

/** An issue as lists show it; what it refers to is known by its id. */
export interface Issue {
  id: string;
  identifier: string;
  title: string;
  priority: number;
  labelIds: string[];
  createdAt: string;
  state: { id: string };
  assignee: { id: string } | null;
  delegate: { id: string } | null;
  project: { id: string } | null;
  cycle: { id: string } | null;
  agentSessions: { nodes: { status: string }[] };
}

export const ISSUE_FIELDS = `id identifier title priority labelIds createdAt state { id } assignee { id } delegate { id }
  project { id } cycle { id } agentSessions(first: 1) { nodes { status } }`;

export interface Nodes<T> {
  nodes: T[];
  pageInfo?: { hasNextPage: boolean; endCursor: string };
}
