import type { TestApp } from './app.js';
import type { ChatClient } from './chat-client.js';
import type { TestUser, WorkspaceBuilder } from './workspace.js';

const plain = (text: string): object => ({ type: 'plain_text', text });

const HUGE = Array.from(
  { length: 40 },
  (_, n) =>
    `  ${String(n).padStart(3)} | const answer${n} = await client.chat.postMessage({ channel, text: 'line ${n}', unfurl_links: false });`,
).join('\n');

/** Blocks of every kind that a message accepts. */
export const BLOCKS = [
  { type: 'header', text: plain('Deploy 42 to production?') },
  {
    type: 'section',
    text: { type: 'mrkdwn', text: '*Requested by* <!here> · <https://ci.example/builds/42|build 42> · :rocket:' },
    accessory: {
      type: 'overflow',
      action_id: 'more',
      options: [
        { text: plain('Show the log'), value: 'log' },
        { text: plain('Cancel'), value: 'cancel' },
      ],
    },
  },
  {
    type: 'section',
    fields: [
      { type: 'mrkdwn', text: '*Environment*\nproduction-eu-central-1' },
      { type: 'mrkdwn', text: '*Changes*\n17 commits by 4 people' },
      { type: 'mrkdwn', text: '*Risk*\nlow' },
      { type: 'mrkdwn', text: '*Window*\n<!date^1767225600^{date_short} {time}|soon>' },
    ],
  },
  { type: 'image', image_url: 'https://images.example/graph.png', alt_text: 'Error rate of the last hour' },
  { type: 'divider' },
  {
    type: 'actions',
    block_id: 'choose',
    elements: [
      { type: 'button', action_id: 'yes', text: plain('Approve'), style: 'primary' },
      { type: 'button', action_id: 'no', text: plain('Reject'), style: 'danger' },
      { type: 'button', action_id: 'later', text: plain('Later') },
      {
        type: 'static_select',
        action_id: 'where',
        placeholder: plain('Environment'),
        options: [
          { text: plain('Staging'), value: 's' },
          { text: plain('Production'), value: 'p' },
        ],
      },
      { type: 'users_select', action_id: 'who', placeholder: plain('Who watches?') },
      { type: 'datepicker', action_id: 'day', initial_date: '2026-11-22' },
    ],
  },
  { type: 'context', elements: [{ type: 'mrkdwn', text: 'Asked by *deploy-bot*, answered by nobody yet' }] },
];

const RICH = {
  type: 'rich_text',
  elements: [
    { type: 'rich_text_section', elements: [{ type: 'text', text: 'Before we ship: ', style: { bold: true } }] },
    {
      type: 'rich_text_list',
      style: 'ordered',
      elements: ['freeze the queue', 'take a snapshot', 'tell everybody'].map((text) => ({
        type: 'rich_text_section',
        elements: [{ type: 'text', text }],
      })),
    },
    { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'helm upgrade understudy ./chart --wait' }] },
    { type: 'rich_text_quote', elements: [{ type: 'text', text: 'Nothing ships on a Friday.' }] },
  ],
};

/** Users and messages like those of a real team: long names, other scripts, many reactions, code, blocks, threads. */
export interface BusyWorkspace {
  readonly bot: ChatClient;
  readonly alice: TestUser;
  readonly people: readonly TestUser[];
  readonly threadTs: string;
}

const EMOJI =
  'tada eyes rocket heart fire clap wave pray thinking_face white_check_mark +1 joy sob 100 raised_hands'.split(' ');

export async function busyWorkspace(app: TestApp, ws: WorkspaceBuilder): Promise<BusyWorkspace> {
  const alice = await ws.user({ name: 'alice', realName: 'Alice Doe' });
  const people = [
    alice,
    await ws.user({
      name: 'maximiliana.konstantinopoulou-featherstonehaugh',
      realName: 'Maximiliana Konstantinopoulou-Featherstonehaugh',
    }),
    await ws.user({ name: 'noor', realName: 'نور الهدى' }),
    await ws.user({ name: 'yuki', realName: '山田 雪' }),
  ];
  const bot = await ws.bot({ name: 'deploy-bot' });
  await ws.channel({ name: 'on-call', isPrivate: true, members: [ws.admin, alice] });
  await ws.channel({ name: 'a-channel-whose-name-goes-on-and-on-until-it-hardly-fits-anywhere', members: [ws.admin] });
  await ws.direct({ id: ws.admin.id }, alice);
  const say = async (user: TestUser, text: string, threadTs?: string): Promise<string> =>
    (await ws.message({ channel: ws.general, user, text, ...(threadTs === undefined ? {} : { threadTs }) })).ts;
  const [, maximiliana, noor, yuki] = people as [TestUser, TestUser, TestUser, TestUser];
  await say(
    alice,
    'Good morning! *Release day* :tada: — the _checklist_ is at https://wiki.example/releases/42?from=chat',
  );
  await say(maximiliana, 'I read `src/kernel/http/http-error.ts` again, and ~nothing~ one thing is odd:');
  await say(maximiliana, `\`\`\`\n${HUGE}\n\`\`\``);
  await say(noor, 'صباح الخير! هل يمكننا نشر الإصدار `v42` اليوم؟ شكراً <@' + alice.id + '>');
  await say(yuki, 'おはようございます。デプロイの準備ができました :rocket:\n> 金曜日にはリリースしない\n約束です。');
  const asked = await say(alice, `<@${ws.admin.id}> <!here> can somebody look at <#${ws.random.id}|random>?`);
  for (const user of people) {
    const client = await ws.userClient({ user });
    for (const name of EMOJI.slice(0, user === alice ? 15 : 5)) {
      await client.call('reactions.add', { channel: ws.general.id, timestamp: asked, name });
    }
  }
  await say(noor, 'Looking.', asked);
  await say(
    yuki,
    'Me too: averyveryverylongwordwithoutanyplacetobreakitsothatithastobebrokensomewhereintheMiddleOfItAnyway',
    asked,
  );
  await bot.call('chat.postMessage', { channel: ws.general.id, text: 'Deploy 42?', blocks: BLOCKS });
  await bot.call('chat.postMessage', { channel: ws.general.id, text: 'A list', blocks: [RICH] });
  await bot.call('chat.postMessage', {
    channel: ws.general.id,
    text: 'Build 42 failed',
    attachments: [
      {
        color: '#d40e0d',
        title: 'checkout.spec.ts',
        title_link: 'https://ci.example/42',
        text: 'Expected *3* items in the cart, got 2.',
        fields: [
          { title: 'Branch', value: 'main', short: true },
          { title: 'Took', value: '4 min 12 s', short: true },
        ],
        footer: 'CI',
      },
    ],
  });
  const admin = await ws.userClient({ user: ws.admin });
  await admin.call('chat.postMessage', { channel: ws.general.id, text: 'thanks, on it :+1:' });
  return { bot, alice, people, threadTs: asked };
}
