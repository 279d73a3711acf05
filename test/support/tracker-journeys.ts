import type { LinearClient } from '@linear/sdk';
import type { Page } from 'playwright-core';
import { clientOf } from './agents.js';
import type { Journey } from './browser.js';
import { receiver, type Receiver } from './receiver.js';
import { bearer, makeSandbox, OPERATOR, send, type Answer } from './sandbox-routes.js';

/** A sandbox with a team, issues and an agent, which a browser has entered. */
export interface TrackerJourney {
  readonly page: Page;
  /** The workspace's address. */
  readonly at: string;
  /** The ids of people in the chat, by their names. */
  readonly people: Readonly<Record<string, string>>;
  readonly end: Receiver;
  readonly agent: LinearClient;
  readonly act: (verb: string, fields: object, person?: string) => Promise<Answer>;
  readonly control: (method: string, path: string, body?: object) => Promise<Answer>;
  /** Opens a screen of the tracker, as its links do. */
  readonly go: (path: string) => Promise<void>;
  /** Waits until the application was told of a session, and answers its id. */
  readonly session: (count?: number) => Promise<string>;
  readonly say: (sessionId: string, content: object, more?: object) => Promise<unknown>;
}

/** @param user who is signed in: by default the owner */
export async function enterTracker(
  journey: Journey,
  issues: readonly object[] = [],
  { user }: { user?: string } = {},
): Promise<TrackerJourney> {
  const { app, page } = journey;
  const end = await receiver();
  const made = await makeSandbox(app, {
    users: ['alice', 'bob'],
    tracker: {
      teams: [
        {
          key: 'ENG',
          name: 'Engineering',
          labels: [{ name: 'Bug', color: '#eb5757' }],
          cycles: [{ number: 1, starts_at: '2026-01-05', ends_at: '2026-01-19' }],
          issues,
        },
        { key: 'OPS', name: 'Operations' },
      ],
      projects: [
        {
          name: 'Website',
          teams: ['ENG'],
          lead: 'alice',
          milestones: [{ name: 'Beta', target_date: '2026-12-01' }],
          updates: [{ as: 'alice', body: 'Going **well**.', health: 'onTrack' }],
        },
      ],
      apps: [
        {
          name: 'helper',
          redirect_uris: ['https://app.example/'],
          webhook_url: end.url,
          webhook_resource_types: ['AgentSessionEvent'],
          installed: { actor: 'app', scopes: ['write', 'app:assignable', 'app:mentionable'] },
        },
      ],
    },
  });
  const { credentials, id, team_id: teamId } = made.body;
  const at = `/w/${teamId as string}`;
  const link = await send(app, 'POST', `/api/sandboxes/${id as string}/ui-link`, OPERATOR, { to: at, user });
  if (link.status !== 201) throw new Error(JSON.stringify(link.body));
  await journey.follow(link.body.url as string);
  const agent = clientOf(app, credentials.tracker_apps.helper.access_token);
  const told = (): { agentSession: { id: string } }[] =>
    end.received.map(({ body }) => JSON.parse(body)).filter(({ type }) => type === 'AgentSessionEvent');
  return {
    page,
    at,
    people: Object.fromEntries(
      Object.entries(credentials.users as Record<string, { user_id: string }>).map(([name, user]) => [
        name,
        user.user_id,
      ]),
    ),
    end,
    agent,
    act: (verb, fields, person = 'alice') =>
      send(app, 'POST', `/api/act/${verb}`, bearer(credentials.users[person].access_token), {
        until: 'none',
        ...fields,
      }),
    control: (method, path, body) => send(app, method, `/api/sandboxes/self${path}`, made.ctl, body),
    go: (path) => journey.go(`${at}${path}`),
    session: async (count = 1) => {
      await end.until(() => told().length >= count);
      return told()[count - 1]!.agentSession.id;
    },
    say: (agentSessionId, content, more = {}) =>
      agent.createAgentActivity({ agentSessionId, content: { ...content }, ...more }),
  };
}

/** What an agent offers with a question. */
export const CHOICE = {
  signal: 'select',
  signalMetadata: { options: [{ label: 'Main', value: 'main' }, { value: 'next' }] },
};

/** Many issues over all states, people and labels. */
export const manyIssues = (count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({
    title:
      n % 10 === 5 ? `A title that goes on and on, longer than any row is wide, about webhooks ${n}` : `Issue ${n}`,
    state: ['Backlog', 'Todo', 'In Progress', 'Done', 'Canceled'][n % 5],
    priority: n % 5,
    ...(n % 3 === 0 ? {} : { assignee: n % 3 === 1 ? 'alice' : 'bob' }),
    ...(n % 2 === 0 ? {} : { labels: ['Bug'] }),
    ...(n % 7 === 0 ? { project: 'Website' } : {}),
  }));
