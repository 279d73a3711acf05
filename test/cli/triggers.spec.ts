import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type Sandbox } from '../../clients/js/src/testing.js';
import { Api } from '../../src/cli/kit/api.js';
import { TRIGGERS, type TriggerInput } from '../../src/cli/kit/triggers.js';
import { useApp } from '../support/app.js';
import { closeReceivers, receiver, type Receiver } from '../support/receiver.js';

const app = useApp();
closeReceivers();

const BUTTON = { type: 'button', action_id: 'approve', text: { type: 'plain_text', text: 'Approve' } };

describe('understudy trigger', () => {
  let sandbox: Sandbox;
  let hook: Receiver;
  let env: Record<string, string>;

  beforeAll(async () => {
    hook = await receiver();
    const manifest = {
      display_information: { name: 'deploy-bot' },
      features: {
        app_home: { home_tab_enabled: true },
        bot_user: { display_name: 'deploy-bot' },
        shortcuts: [{ name: 'Deploy', type: 'global', callback_id: 'deploy', description: 'Deploys' }],
        slash_commands: [{ command: '/deploy', url: hook.url, description: 'Deploys' }],
      },
      oauth_config: { scopes: { bot: ['chat:write', 'commands', 'channels:join'] } },
      settings: { interactivity: { is_enabled: true, request_url: hook.url } },
    };
    sandbox = await connect({ url: app.baseUrl, adminToken: app.settings.adminToken as string }).createSandbox({
      users: [{ name: 'alice', is_admin: true }, 'bob', 'carol'],
      channels: [{ name: 'war-room', members: ['alice', 'deploy-bot'] }],
      apps: [{ name: 'deploy-bot', manifest }],
    });
    env = { SVC_API_URL: `${app.baseUrl}/api`, SVC_SANDBOX_TOKEN: sandbox.credentials.control_token };
  });
  afterAll(() => sandbox.delete({ force: true }));

  /** What the command does after parsing its arguments. */
  async function trigger(name: string, input: Partial<TriggerInput> & { as?: string } = {}): Promise<object> {
    const api = await Api.connect(env);
    const { as, ...rest } = input;
    return (TRIGGERS[name] as (typeof TRIGGERS)[string]).run(api, await api.actor(undefined, as), {
      channel: '#war-room',
      ...rest,
    });
  }

  const heard = (event: string, where?: object) =>
    sandbox.waitForEvent(event, where === undefined ? {} : { where: where as Record<string, unknown> });
  /** Expects the payload that the app received. */
  async function expectPayload(what: (form: URLSearchParams) => unknown, expected: unknown): Promise<void> {
    const forms = () => hook.received.map(({ body }) => new URLSearchParams(body));
    await hook.until(() => forms().some((form) => what(form) !== undefined));
    expect(forms().map(what)).toContainEqual(expected);
  }
  const payload = (form: URLSearchParams): Record<string, unknown> =>
    JSON.parse(form.get('payload') ?? '{}') as Record<string, unknown>;
  const channel = (): string => sandbox.credentials.channels['war-room'] as string;

  /** For each event, triggers it and verifies through the API that it happened. */
  const SHOWN: Record<string, () => Promise<unknown>> = {
    message: async () => {
      await trigger('message', { text: 'ship it', as: 'alice' });
      await sandbox.waitForMessage({ channel: '#war-room', user: 'alice', text: 'ship it' });
    },
    message_changed: async () => {
      await trigger('message_changed', { text: 'now right' });
      await heard('message', { subtype: 'message_changed', message: { text: 'now right' } });
    },
    message_deleted: async () => {
      await trigger('message_deleted');
      await heard('message', { subtype: 'message_deleted', previous_message: { text: 'Oops' } });
    },
    app_mention: async () => {
      await trigger('app_mention', { app: 'deploy-bot', text: 'deploy' });
      await heard('app_mention', { channel: channel(), text: { $contains: 'deploy' } });
    },
    'message.im': async () => {
      await trigger('message.im', { app: 'deploy-bot', text: 'psst', as: 'bob' });
      await heard('message', { channel_type: 'im', text: 'psst', user: sandbox.credentials.users['bob']?.user_id });
    },
    reaction_added: async () => {
      await trigger('message');
      await trigger('reaction_added', { text: 'eyes' });
      await heard('reaction_added', { reaction: 'eyes' });
    },
    reaction_removed: async () => {
      await trigger('message');
      await trigger('reaction_added');
      await trigger('reaction_removed');
      await heard('reaction_removed', { reaction: 'tada' });
    },
    member_joined_channel: async () => {
      await trigger('member_joined_channel', { as: 'carol' });
      await heard('member_joined_channel', { user: sandbox.credentials.users['carol']?.user_id });
    },
    member_left_channel: async () => {
      await trigger('member_joined_channel', { as: 'bob' });
      await trigger('member_left_channel', { as: 'bob' });
      await heard('member_left_channel', { user: sandbox.credentials.users['bob']?.user_id });
    },
    channel_created: async () => {
      await trigger('channel_created', { text: 'made-here' });
      await heard('channel_created', { channel: { name: 'made-here' } });
    },
    shortcut: async () => {
      await trigger('shortcut', { text: 'deploy', as: 'alice' });
      await expectPayload((form) => payload(form)['callback_id'], 'deploy');
    },
    command: async () => {
      await trigger('command', { text: '/deploy prod now', as: 'alice' });
      await expectPayload((form) => form.get('command') ?? undefined, '/deploy');
      await expectPayload((form) => form.get('text') ?? undefined, 'prod now');
    },
    button: async () => {
      const { SLACK_API_URL, SLACK_BOT_TOKEN } = sandbox.env('deploy-bot');
      const blocks = [{ type: 'actions', elements: [BUTTON] }];
      await fetch(`${SLACK_API_URL}chat.postMessage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${SLACK_BOT_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ channel: channel(), text: 'sure?', blocks }),
      });
      // a message without a button is skipped
      await trigger('message', { as: 'alice' });
      await trigger('button', { as: 'alice' });
      await expectPayload(
        (form) => (payload(form)['actions'] as { action_id: string }[] | undefined)?.[0]?.action_id,
        'approve',
      );
    },
    app_home_opened: async () => {
      await trigger('app_home_opened', { app: sandbox.credentials.apps['deploy-bot']?.app_id as string, as: 'alice' });
      await heard('app_home_opened', { user: sandbox.credentials.users['alice']?.user_id });
    },
    'issue.created': async () => {
      await trigger('issue.created', { text: 'Fix login', as: 'alice' });
      await sandbox.waitForIssue({ title: 'Fix login' });
      await heard('issue.created');
    },
    'issue.updated': async () => {
      await trigger('issue.created');
      await trigger('issue.updated', { text: 'Fix logout' });
      await heard('issue.updated');
      await sandbox.waitForIssue({ title: 'Fix logout' });
    },
    'issue.removed': async () => {
      await trigger('issue.created');
      await trigger('issue.removed');
      await heard('issue.removed');
    },
    'comment.created': async () => {
      await trigger('issue.created');
      await trigger('comment.created', { text: 'On my way' });
      await heard('comment.created');
    },
  };

  it('has a test for each event that --list names', () => {
    expect(Object.keys(SHOWN).sort()).toEqual(Object.keys(TRIGGERS).sort());
  });

  it.each(Object.keys(SHOWN))('triggers %s', async (name) => {
    // the mark limits waiting to what happens after it
    await sandbox.mark();
    hook.received.length = 0;
    await SHOWN[name]?.();
  });

  it('reports missing arguments', async () => {
    await sandbox.reset();
    await expect(trigger('command')).rejects.toThrow('name the command');
    await expect(trigger('shortcut')).rejects.toThrow('name the shortcut');
    await expect(trigger('button')).rejects.toThrow('#war-room has no message with a button');
    await expect(trigger('comment.created')).rejects.toThrow('understudy trigger issue.created');
    await expect(trigger('message', { as: 'nobody' })).rejects.toThrow('user_not_found');
  });
});
