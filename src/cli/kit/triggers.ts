import { OperatorError } from '../fatal-error.js';
import type { Actor, Api } from './api.js';

/** The options of a trigger. */
export interface TriggerInput {
  channel: string;
  text?: string;
  app?: string;
}

export interface Trigger {
  about: string;
  run(api: Api, actor: Actor, input: TriggerInput): Promise<object>;
}

const act = (api: Api, { token, as }: Actor, verb: string, body: object): Promise<Record<string, unknown>> =>
  api.call('POST', `/act/${verb}`, { token, body: { ...body, ...(as ? { as } : {}) } });

/** Calls a method of the chat as that person. */
async function chat(api: Api, { token, as }: Actor, method: string, body: object): Promise<Record<string, unknown>> {
  if (as !== undefined) throw new OperatorError(`set SVC_ADMIN_TOKEN or SVC_SANDBOX_TOKEN to call ${method} as ${as}`);
  const answer = await api.call<{ ok: boolean; error?: string }>('POST', `/${method}`, { token, body });
  if (!answer.ok) throw new OperatorError(`${method} answered ${answer.error}`);
  return { ...answer };
}

/** Methods that only read need ids instead of names. */
async function channelId(api: Api, token: string, channel: string): Promise<string> {
  const name = channel.replace(/^#/, '');
  const body = { types: 'public_channel,private_channel', limit: 1000 };
  const { channels = [] } = await api.call<{ channels?: { id: string; name: string }[] }>(
    'POST',
    '/conversations.list',
    { token, body },
  );
  return channels.find((one) => one.name === name)?.id ?? channel;
}

/** The newest message of the channel, optionally the newest that has a button. */
async function newestMessage(api: Api, { token }: Actor, channel: string, hasButton: boolean): Promise<Found> {
  const listed = await api.call<{ ok: boolean; error?: string; messages?: Found[] }>('POST', '/conversations.history', {
    token,
    body: { channel: await channelId(api, token, channel), limit: 50 },
  });
  if (!listed.ok) throw new OperatorError(`${channel} cannot be read: ${listed.error}`);
  const found = listed.messages?.find((message) => !hasButton || buttonOf(message) !== undefined);
  if (!found) throw new OperatorError(`${channel} has no message${hasButton ? ' with a button' : ''}`);
  return found;
}

interface Found {
  ts: string;
  blocks?: { block_id: string; elements?: { type: string; action_id: string }[] }[];
}

const buttonOf = ({ blocks }: Found) =>
  blocks?.flatMap((block) => block.elements ?? []).find(({ type }) => type === 'button');

async function graphql(api: Api, { token, as, apiKey }: Actor, query: string, variables: object): Promise<object> {
  if (as !== undefined) throw new OperatorError(`set SVC_ADMIN_TOKEN or SVC_SANDBOX_TOKEN to act on issues as ${as}`);
  const url = `${api.base.replace(/\/api$/, '')}/graphql`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: apiKey ?? `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  const body = (await response.json()) as { data?: object; errors?: { message: string }[] };
  if (body.errors?.[0]) throw new OperatorError(body.errors[0].message);
  return body.data ?? {};
}

const firstTeam = async (api: Api, actor: Actor): Promise<string> => {
  const data = (await graphql(api, actor, '{ teams(first: 1) { nodes { id } } }', {})) as {
    teams: { nodes: { id: string }[] };
  };
  const [team] = data.teams.nodes;
  if (!team) throw new OperatorError('this sandbox has no team of the tracker');
  return team.id;
};

const newestIssue = async (api: Api, actor: Actor): Promise<string> => {
  const query = '{ issues(first: 1) { nodes { id } } }';
  const data = (await graphql(api, actor, query, {})) as { issues: { nodes: { id: string }[] } };
  const [issue] = data.issues.nodes;
  if (!issue) throw new OperatorError('this sandbox has no issue yet: understudy trigger issue.created');
  return issue.id;
};

/** Each trigger calls the API as that person, with all its normal effects. */
export const TRIGGERS: Record<string, Trigger> = {
  message: {
    about: 'a person posts a message',
    run: (api, actor, { channel, text }) =>
      act(api, actor, 'message', { channel, text: text ?? 'Hello', until: 'none' }),
  },
  message_changed: {
    about: 'a person posts a message and edits it (--text is what it says then)',
    run: async (api, actor, { channel, text }) => {
      const { result } = (await act(api, actor, 'message', { channel, text: 'Helo', until: 'none' })) as {
        result: Found;
      };
      return act(api, actor, 'edit', { channel, ts: result.ts, text: text ?? 'Hello' });
    },
  },
  message_deleted: {
    about: 'a person posts a message and deletes it',
    run: async (api, actor, { channel, text }) => {
      const posted = await act(api, actor, 'message', { channel, text: text ?? 'Oops', until: 'none' });
      return act(api, actor, 'delete', { channel, ts: (posted['result'] as Found).ts });
    },
  },
  app_mention: {
    about: 'a person mentions an app',
    run: (api, actor, { channel, text, app }) =>
      act(api, actor, 'message', { channel, text: text ?? 'hi', mention: app ?? 'default-app' }),
  },
  'message.im': {
    about: 'a person writes to an app directly',
    run: (api, actor, { text, app }) =>
      act(api, actor, 'message', { channel: `@${app ?? 'default-app'}`, text: text ?? 'hi' }),
  },
  reaction_added: {
    about: 'a person reacts to the newest message (--text names the emoji)',
    run: async (api, actor, { channel, text }) => {
      const { ts } = await newestMessage(api, actor, channel, false);
      return act(api, actor, 'react', { channel, ts, name: text ?? 'tada' });
    },
  },
  reaction_removed: {
    about: 'a person takes the reaction back',
    run: async (api, actor, { channel, text }) => {
      const { ts } = await newestMessage(api, actor, channel, false);
      return act(api, actor, 'unreact', { channel, ts, name: text ?? 'tada' });
    },
  },
  member_joined_channel: {
    about: 'a person joins a channel',
    run: (api, actor, { channel }) => act(api, actor, 'join', { channel }),
  },
  member_left_channel: {
    about: 'a person leaves a channel',
    run: (api, actor, { channel }) => act(api, actor, 'leave', { channel }),
  },
  channel_created: {
    about: 'a person creates a channel (--text is its name)',
    run: (api, actor, { text }) => chat(api, actor, 'conversations.create', { name: text ?? `channel-${Date.now()}` }),
  },
  shortcut: {
    about: 'a person runs a global shortcut (--text is its callback_id)',
    run: (api, actor, { text }) => {
      if (text === undefined) throw new OperatorError('name the shortcut: --text its_callback_id');
      return act(api, actor, 'shortcut', { callback_id: text });
    },
  },
  command: {
    about: 'a person runs a slash command (--text "/deploy prod")',
    run: (api, actor, { channel, text }) => {
      const [command = '', ...rest] = (text ?? '').split(' ');
      if (!command.startsWith('/')) throw new OperatorError('name the command: --text "/deploy prod"');
      return act(api, actor, 'command', { channel, command, text: rest.join(' ') });
    },
  },
  button: {
    about: 'a person clicks the first button of the newest message that has one (--text names its action_id)',
    run: async (api, actor, { channel, text }) => {
      const message = await newestMessage(api, actor, channel, true);
      const action_id = text ?? buttonOf(message)?.action_id;
      return act(api, actor, 'click', { channel, message_ts: message.ts, action_id });
    },
  },
  app_home_opened: {
    about: "a person opens an app's Home",
    run: (api, actor, { app }) => act(api, actor, 'home', app === undefined ? {} : { app_id: app }),
  },
  'issue.created': {
    about: 'a person creates an issue (--text is its title)',
    run: async (api, actor, { text }) =>
      graphql(api, actor, 'mutation($i: IssueCreateInput!) { issueCreate(input: $i) { issue { id identifier } } }', {
        i: { teamId: await firstTeam(api, actor), title: text ?? 'Something to do' },
      }),
  },
  'issue.updated': {
    about: 'a person renames the newest issue (--text is its title)',
    run: async (api, actor, { text }) =>
      graphql(
        api,
        actor,
        'mutation($id: String!, $i: IssueUpdateInput!) { issueUpdate(id: $id, input: $i) { issue { id identifier } } }',
        { id: await newestIssue(api, actor), i: { title: text ?? `Renamed at ${new Date().toISOString()}` } },
      ),
  },
  'issue.removed': {
    about: 'a person deletes the newest issue',
    run: async (api, actor) =>
      graphql(api, actor, 'mutation($id: String!) { issueDelete(id: $id) { success } }', {
        id: await newestIssue(api, actor),
      }),
  },
  'comment.created': {
    about: 'a person comments on the newest issue',
    run: async (api, actor, { text }) =>
      graphql(api, actor, 'mutation($i: CommentCreateInput!) { commentCreate(input: $i) { comment { id } } }', {
        i: { issueId: await newestIssue(api, actor), body: text ?? 'On it' },
      }),
  },
};
