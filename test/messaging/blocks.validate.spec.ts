import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import type { ChatClient } from '../support/chat-client.js';

const refused = (error: string) => ({ ok: false, error });
const plain = (text: string) => ({ type: 'plain_text', text });
const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
const button = { type: 'button', text: plain('Go') };
const rich = { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'x' }] }] };
const cell = (text: string) => ({ type: 'raw_text', text });
const option = (value: string) => ({ text: plain(value), value });
const picture = { type: 'image', alt_text: 'a', image_url: 'https://a.example/a.png' };
const bars = (labels: string[]) => ({
  type: 'bar',
  axis_config: { categories: ['a', 'b'] },
  series: [{ name: 's', data: labels.map((label) => ({ label, value: 1 })) }],
});

/** One block of each type that messages take, with most of its fields. */
const EVERY: object[] = [
  { type: 'section', text: mrkdwn('a'), accessory: { type: 'static_select', options: [option('a')] }, expand: true },
  { type: 'header', text: plain('a') },
  { type: 'divider' },
  { ...picture, title: plain('a') },
  { type: 'context', elements: [picture, mrkdwn('a')] },
  {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        positive_button: { text: plain('Good'), value: '+' },
        negative_button: { text: plain('Bad'), value: '-', accessibility_label: 'Bad answer' },
      },
      { type: 'icon_button', icon: 'trash', text: plain('Delete'), visible_to_user_ids: ['U1'] },
    ],
  },
  { type: 'actions', elements: [button, { type: 'datepicker', initial_date: '2026-01-31' }] },
  { type: 'input', label: plain('a'), element: { type: 'plain_text_input', multiline: true }, optional: true },
  { type: 'markdown', text: '**a**' },
  rich,
  { type: 'table', rows: [[cell('a'), rich]], column_settings: [{ align: 'right', is_wrapped: true }] },
  {
    type: 'data_table',
    caption: 'Sums',
    rows: [[cell('a')], [{ type: 'raw_number', value: 1, text: '1' }]],
    page_size: 10,
    row_header_column_index: 0,
  },
  { type: 'data_visualization', title: 'Pie', chart: { type: 'pie', segments: [{ label: 'a', value: 1 }] } },
  { type: 'data_visualization', title: 'Bars', chart: bars(['b', 'a']) },
  { type: 'card', title: mrkdwn('a'), body: mrkdwn('b'), hero_image: picture, actions: [button] },
  { type: 'carousel', elements: [{ type: 'card', title: mrkdwn('a'), actions: [button] }] },
  {
    type: 'container',
    title: plain('a'),
    is_collapsible: true,
    default_collapsed: true,
    width: 'wide',
    child_blocks: [{ type: 'actions', elements: [button] }, { type: 'divider' }],
  },
  {
    type: 'task_card',
    task_id: '1',
    title: 'a',
    status: 'in_progress',
    details: rich,
    sources: [{ type: 'url', url: 'https://a.example/', text: 'a' }],
  },
  { type: 'plan', title: 'a', tasks: [{ task_id: '1', title: 'a', status: 'complete' }] },
  {
    type: 'video',
    video_url: 'https://a.example/v',
    thumbnail_url: 'https://a.example/t',
    alt_text: 'a',
    title: plain('a'),
  },
  { type: 'file', source: 'remote', external_id: 'x' },
];

// docs/reference/blocks.md
describe('blocks.validate', () => {
  const app = useApp();
  const faultsOf = async (bot: ChatClient, block: object): Promise<string[]> => {
    const { errors = [] } = await bot.call('blocks.validate', { blocks: [block] });
    return errors.map(({ message, pointer }: { message: string; pointer: string }) => `${pointer} ${message}`);
  };

  it('accepts every block, which posts store with ids at any depth', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot({ scopes: ['chat:write'] });
    expect(await bot.call('blocks.validate', { blocks: JSON.stringify(EVERY) })).toEqual({ ok: true });
    const { message } = await bot.call('chat.postMessage', { channel: ws.general.id, text: 'all', blocks: EVERY });
    expect(message.blocks).toMatchObject(EVERY);
    const carousel = message.blocks.find(({ type }: { type: string }) => type === 'carousel');
    const container = message.blocks.find(({ type }: { type: string }) => type === 'container');
    const id = expect.stringMatching(/^\w{5}$/);
    expect(carousel.elements[0]).toMatchObject({ block_id: id, actions: [{ action_id: id }] });
    expect(container.child_blocks[0]).toMatchObject({ block_id: id, elements: [{ action_id: id }] });
  });

  it('tells every fault with its pointer, and what enums and lengths expect', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const blocks = [
      { type: 'section', text: { type: 'invalid', text: 'x' } },
      { type: 'header', text: plain('x'.repeat(151)) },
      { type: 'actions', elements: [] },
      { type: 'image', image_url: 'https://a.example/' },
    ];
    const answer = await bot.call('blocks.validate', { blocks });
    expect(answer).toMatchObject(refused('invalid_blocks'));
    const fault = { code: 'failed_constraint' };
    expect(answer.errors).toEqual([
      {
        ...fault,
        message: 'unsupported type: invalid',
        pointer: '/0/text/type',
        constraint: { type: 'enum', expected: ['plain_text', 'mrkdwn'], got: 'invalid' },
      },
      {
        ...fault,
        message: 'must be less than 151 characters',
        pointer: '/1/text/text',
        constraint: { type: 'max_length', expected: '150', got: '151' },
      },
      {
        ...fault,
        message: 'no less than 1 items allowed',
        pointer: '/2/elements',
        constraint: { type: 'min_items', expected: '1', got: '0' },
      },
      { code: 'missing_required_field', message: 'missing required field: alt_text', pointer: '/3' },
    ]);
    const many = await bot.call('blocks.validate', { blocks: Array.from({ length: 50 }, () => ({ type: 'input' })) });
    expect(many.errors).toHaveLength(50);
    const ofMessage = await bot.call('blocks.validate', { message: { attachments: [{ blocks: [{ type: 'x' }] }] } });
    expect(ofMessage).toMatchObject({
      error: 'invalid_message',
      errors: [{ pointer: '/attachments/0/blocks/0/type' }],
    });
    const ofView = await bot.call('blocks.validate', { view: { type: 'home', blocks: [{ type: 'alert' }] } });
    expect(ofView).toMatchObject({
      error: 'invalid_view',
      errors: [{ pointer: '/blocks/0' }, { pointer: '/blocks/0/type' }],
    });
    const alert = { type: 'alert', text: plain('careful'), level: 'warning' };
    const modal = { type: 'modal', title: plain('a'), blocks: [alert] };
    expect(await bot.call('blocks.validate', { view: modal })).toEqual({ ok: true });
  });

  it('takes exactly one of its arguments', async () => {
    const ws = await app.workspace();
    const bot = await ws.bot();
    const wrong = {
      ...refused('invalid_arguments'),
      response_metadata: { messages: [expect.stringContaining('exactly one of `blocks`, `view`, or `message`')] },
    };
    expect(await bot.call('blocks.validate')).toMatchObject(wrong);
    expect(await bot.call('blocks.validate', { blocks: [], message: {} })).toMatchObject(wrong);
    const long = [{ type: 'divider', x: 'x'.repeat(100_001) }];
    expect(await bot.call('blocks.validate', { blocks: long })).toMatchObject(refused('invalid_arguments'));
  });

  it.each<[object, string]>([
    [
      { type: 'image', alt_text: 'a', image_url: 'x', slack_file: { id: 'F1' } },
      '/0 only one of image_url, slack_file allowed',
    ],
    [{ type: 'image', alt_text: 'a', slack_file: {} }, '/0/slack_file missing required field: id'],
    [
      { type: 'section', text: plain('a'), accessory: { type: 'plain_text_input' } },
      '/0/accessory/type unsupported type: plain_text_input',
    ],
    [
      { type: 'actions', elements: [{ type: 'overflow', options: [] }] },
      '/0/elements/0/options no less than 1 items allowed',
    ],
    [
      {
        type: 'actions',
        elements: [
          { ...button, action_id: 'a' },
          { ...button, action_id: 'a' },
        ],
      },
      '/0/elements/1/action_id action_id must be unique',
    ],
    [{ type: 'actions', elements: [{ type: 'static_select' }] }, '/0/elements/0 missing required field: options'],
    [
      { type: 'actions', elements: [{ type: 'static_select', options: [option('a')], initial_option: option('b') }] },
      '/0/elements/0/initial_option must be one of the options',
    ],
    [
      { type: 'actions', elements: [{ type: 'datepicker', initial_date: '2026-02-40' }] },
      '/0/elements/0/initial_date must be a date such as 2026-01-31',
    ],
    [
      { type: 'actions', elements: [{ ...button, confirm: { title: plain('a') } }] },
      '/0/elements/0/confirm missing required field: text',
    ],
    [
      { type: 'input', label: plain('a'), element: { type: 'number_input' } },
      '/0/element missing required field: is_decimal_allowed',
    ],
    [
      {
        type: 'input',
        label: plain('a'),
        element: { type: 'number_input', is_decimal_allowed: true, min_value: '2', max_value: '1' },
      },
      '/0/element/min_value must not be greater than max_value',
    ],
    [
      { type: 'input', label: plain('a'), element: { type: 'conversations_select', filter: {} } },
      '/0/element/filter must not be empty',
    ],
    [
      { type: 'rich_text', elements: [{ type: 'rich_text_list', elements: [] }] },
      '/0/elements/0 missing required field: style',
    ],
    [
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'color', value: 'red' }] }] },
      '/0/elements/0/elements/0/value must be a color such as #1264a3',
    ],
    [{ type: 'table', rows: [] }, '/0/rows no less than 1 items allowed'],
    [{ type: 'table', rows: [[cell('x'.repeat(10_001))]] }, '/0/rows must be less than 10001 characters'],
    [
      { type: 'data_table', caption: 'a', rows: [[cell('a')], [cell('a'), cell('b')]] },
      '/0/rows/1 must be as long as the first row',
    ],
    [{ type: 'data_table', caption: 'a', rows: [[rich], [cell('a')]] }, '/0/rows/0/0/type unsupported type: rich_text'],
    [
      { type: 'data_visualization', title: 'a', chart: bars(['a', 'a']) },
      '/0/chart/series/0/data must have each of the categories once',
    ],
    [{ type: 'card', subtitle: mrkdwn('a') }, '/0 missing required field: hero_image'],
    [
      { type: 'carousel', elements: [{ type: 'section', text: plain('a') }] },
      '/0/elements/0/type unsupported type: section',
    ],
    [
      { type: 'container', title: plain('a'), child_blocks: [{ type: 'card' }] },
      '/0/child_blocks/0/type unsupported type: card',
    ],
    [
      { type: 'container', title: plain('a'), default_collapsed: true, child_blocks: [{ type: 'divider' }] },
      '/0/default_collapsed needs is_collapsible',
    ],
    [
      { type: 'task_card', task_id: '1', title: 'a', status: 'done' },
      '/0/status must be one of pending, in_progress, complete, error',
    ],
    [
      { type: 'video', video_url: 'http://a.example', thumbnail_url: 'x', alt_text: '', title: plain('a') },
      '/0/video_url must be an https URL',
    ],
    [{ type: 'file', source: 'local', external_id: 'a' }, '/0/source must be one of remote'],
    [{ type: 'alert', text: plain('a') }, '/0/type unsupported type: alert'],
  ])('refuses %j', async (block, fault) => {
    const ws = await app.workspace();
    expect(await faultsOf(await ws.bot(), block)).toEqual([fault]);
  });
});
