import { Triggers } from '../../src/messaging/surfaces/triggers.js';
import type { TestApp } from './app.js';
import { receiver, type Receiver } from './receiver.js';
import { rest } from './rest-client.js';
import { ChatClient } from './chat-client.js';
import type { TestUser, WorkspaceBuilder } from './workspace.js';

export type Json = Record<string, unknown>;

const BOT_SCOPES = [
  'chat:write',
  'chat:write.public',
  'commands',
  'channels:history',
  'reactions:read',
  'app_mentions:read',
];

/** An app with one URL for everything, and a user of it. */
export interface ModalApp {
  readonly id: string;
  readonly botId: string;
  readonly bot: ChatClient;
  readonly far: Receiver;
  readonly person: ChatClient;
  /** A new trigger of the user. */
  trigger(): Promise<string>;
  /** The payload of the last interaction that the app received. */
  payload(): Json;
  /** Calls a verb of `/api/act` as the user. */
  act(verb: string, body?: Json): ReturnType<typeof rest>;
  /** The status and message with which a verb is refused. */
  refused(verb: string, body: Json): Promise<unknown[]>;
  /** Opens a view with a new trigger, and answers the created view. */
  open(view: Json): Promise<Json>;
}

/** Creates the app from a manifest; `more` is merged over features and settings. */
export async function modalApp(
  app: TestApp,
  ws: WorkspaceBuilder,
  more: { features?: Json; settings?: Json; user?: TestUser; url?: boolean; scopes?: readonly string[] } = {},
): Promise<ModalApp> {
  const far = await receiver();
  const person = await ws.jwtClient(more.user === undefined ? {} : { user: more.user });
  const admin = await ws.jwtClient({ user: ws.admin });
  const { body: made, status } = await rest(app, 'POST /apps', {
    token: admin.token,
    body: {
      manifest: {
        display_information: { name: 'modal' },
        oauth_config: { scopes: { bot: [...BOT_SCOPES, ...(more.scopes ?? [])] } },
        features: more.features ?? {},
        settings: { ...(more.url === false ? {} : { interactivity: { request_url: far.url } }), ...more.settings },
      },
    },
  });
  if (status !== 201) throw new Error(JSON.stringify(made));
  const bot = new ChatClient(app, made.bot_token as string, {
    userId: made.bot_user_id as string,
    appId: made.id as string,
    botId: made.bot_id as string,
  });
  const trigger = (): Promise<string> =>
    app.nest
      .get(Triggers, { strict: false })
      .issue({ workspaceId: ws.id, appId: made.id as string, userId: person.userId });
  const act: ModalApp['act'] = (verb, body = {}) => rest(app, `POST /act/${verb}`, { token: person.token, body });
  return {
    id: made.id as string,
    botId: made.bot_id as string,
    bot,
    far,
    person,
    trigger,
    act,
    async refused(verb, body) {
      const answer = await act(verb, body);
      return [answer.status, answer.body.message];
    },
    open: async (view) => (await bot.call('views.open', { trigger_id: await trigger(), view })).view as Json,
    payload: () => {
      // an event about the same may arrive after it
      const payloads = far.received.flatMap(({ body }) => new URLSearchParams(body).getAll('payload'));
      return JSON.parse(payloads.at(-1) ?? 'null') as Json;
    },
  };
}

export const label = (text: string): Json => ({ type: 'plain_text', text });

/** An option of a menu, labelled in capitals. */
export const option = (value: string): Json => ({ text: label(value.toUpperCase()), value });

/** A modal with one section, or with the given fields. */
export const modal = (more: Json = {}): Json => ({
  type: 'modal',
  title: label('Ask'),
  blocks: [{ type: 'section', block_id: 's', text: label('hello') }],
  ...more,
});

/** An input block. */
export const input = (blockId: string, element: Json, more: Json = {}): Json => ({
  type: 'input',
  block_id: blockId,
  label: label(blockId),
  element,
  ...more,
});
