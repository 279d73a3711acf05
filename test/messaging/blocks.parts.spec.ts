import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import {
  BLOCKS,
  ELEMENTS,
  type Json,
  bars,
  blockChecks,
  button,
  card,
  cell,
  chartOf,
  inActions,
  inContextActions,
  inInput,
  mrkdwn,
  option,
  options,
  picture,
  pie,
  plain,
  rich,
  task,
  times,
  url,
  x,
} from '../support/blocks.js';

/** The blocks that take elements, with the elements that they take. */
const SELECTS = ['static', 'external', 'users', 'channels', 'conversations'].flatMap((kind) => [
  `${kind}_select`,
  `multi_${kind}_select`,
]);
const HOSTS: Record<string, [host: (element: Json) => Json, at: string, takes: string[]]> = {
  'section.accessory': [
    (accessory) => ({ type: 'section', text: plain('a'), accessory }),
    '/accessory',
    [
      'button',
      'checkboxes',
      'datepicker',
      'image',
      'overflow',
      'radio_buttons',
      'timepicker',
      'workflow_button',
      ...SELECTS,
    ],
  ],
  'actions.elements': [
    inActions,
    '/elements/0',
    [
      'button',
      'checkboxes',
      'datepicker',
      'datetimepicker',
      'overflow',
      'radio_buttons',
      'rich_text_input',
      'timepicker',
      'workflow_button',
      ...SELECTS,
    ],
  ],
  'input.element': [
    inInput,
    '/element',
    [
      'checkboxes',
      'datepicker',
      'datetimepicker',
      'email_text_input',
      'url_text_input',
      'plain_text_input',
      'number_input',
      'file_input',
      'rich_text_input',
      'radio_buttons',
      'timepicker',
      ...SELECTS,
    ],
  ],
  'context.elements': [(element) => ({ type: 'context', elements: [element] }), '/elements/0', ['image']],
  'context_actions.elements': [inContextActions, '/elements/0', ['feedback_buttons', 'icon_button']],
  'card.actions': [(element) => ({ type: 'card', actions: [element] }), '/actions/0', ['button']],
  'card.icon': [(icon) => ({ ...card, icon }), '/icon', ['image']],
};

const IN_CONTAINERS = [
  'actions',
  'context',
  'divider',
  'file',
  'header',
  'image',
  'input',
  'rich_text',
  'section',
  'table',
  'video',
];

/** What stands in a line of rich text, with what it must have. */
const INLINE: Record<string, Json> = {
  text: { text: '' },
  link: { url },
  emoji: { name: 'tada' },
  user: { user_id: 'U1' },
  usergroup: { usergroup_id: 'S1' },
  channel: { channel_id: 'C1' },
  team: { team_id: 'T1' },
  broadcast: { range: 'here' },
  date: { timestamp: 1, format: '{date}' },
  color: { value: '#1264a3' },
};

const required = (field: string, pointer: string) => ({
  code: 'missing_required_field',
  message: `missing required field: ${field}`,
  pointer,
});
const without = (object: Json, field: string): Json => {
  const { [field]: _, ...rest } = object;
  return rest;
};

// docs/reference/blocks.md
describe('the parts of blocks', () => {
  const app = useApp();
  const { faults, pointers, inModal } = blockChecks(app);

  it.each(Object.entries(BLOCKS))('%s needs each of its required fields', async (_, [block, needed]) => {
    expect(await faults(block)).toEqual([]);
    const errors = await faults(...needed.map((field) => without(block, field)));
    expect(errors).toEqual(needed.map((field, i) => required(field, `/${i}`)));
    const nothing = await faults(...needed.map((field) => ({ ...block, [field]: null })));
    expect(nothing).toEqual(errors);
  });

  it.each(Object.entries(HOSTS))('%s takes its elements and no others', async (_, [host, at, takes]) => {
    for (const [type, element] of Object.entries(ELEMENTS)) {
      const errors = await faults(host(element));
      if (takes.includes(type)) expect({ type, errors }).toEqual({ type, errors: [] });
      else {
        expect(errors).toMatchObject([
          {
            code: 'failed_constraint',
            message: `unsupported type: ${type}`,
            pointer: `/0${at}/type`,
            constraint: { type: 'enum', got: type },
          },
        ]);
      }
    }
    expect(await faults(host({ type: 'nothing' }))).toMatchObject([{ message: 'unsupported type: nothing' }]);
    expect(await faults(host({}))).toEqual([required('type', `/0${at}`)]);
  });

  it('containers hold some blocks, carousels hold cards, plans hold tasks whose type may be missing', async () => {
    for (const [type, [block]] of Object.entries(BLOCKS)) {
      const container = { type: 'container', rich_text_title: rich(), child_blocks: [block] };
      const inside = await pointers(
        container,
        { type: 'carousel', elements: [block] },
        { type: 'plan', title: '', tasks: [block] },
      );
      expect({ type, inside }).toEqual({
        type,
        inside: [
          ...(IN_CONTAINERS.includes(type) ? [] : ['/0/child_blocks/0/type']),
          ...(type === 'card' ? [] : ['/1/elements/0/type']),
          ...(type === 'task_card' ? [] : ['/2/tasks/0/type']),
        ],
      });
    }
    expect(await faults({ type: 'plan', title: 'a', tasks: [task] })).toEqual([]);
    expect(await faults({ type: 'nothing' }, 7, {})).toMatchObject([
      { message: 'unsupported type: nothing', pointer: '/0/type' },
      { message: 'must be an object', pointer: '/1' },
      required('type', '/2'),
    ]);
  });

  it('several choices that a select begins with are among its options, one by one', async () => {
    for (const type of ['multi_static_select', 'checkboxes']) {
      const begun = (...values: string[]) =>
        inActions({ type, options, initial_options: values.map((value) => option(value)) });
      expect(await faults(begun('v0'))).toEqual([]);
      expect(await pointers(begun('v0', 'v1'))).toEqual(['/0/elements/0/initial_options/1']);
    }
    const grouped = {
      type: 'static_select',
      option_groups: [{ label: plain('a'), options }],
      initial_option: option('v0'),
    };
    expect(await faults(inActions(grouped))).toEqual([]);
    expect(await pointers(inActions({ ...grouped, options }))).toEqual(['/0/elements/0']);
  });

  it('mrkdwn is for the options of checkboxes and radio buttons, and plain text where it must be', async () => {
    const marked = [{ text: mrkdwn('a'), value: 'a' }];
    const types = ['checkboxes', 'radio_buttons', 'overflow', 'static_select', 'multi_static_select'];
    const where = await pointers(...types.map((type) => inActions({ type, options: marked })));
    expect(where).toEqual([2, 3, 4].map((i) => `/${i}/elements/0/options/0/text/type`));
    const plainOnly = [
      { type: 'header', text: mrkdwn('a') },
      { ...picture, title: mrkdwn('a') },
      { ...inInput(ELEMENTS['datepicker'] as Json), hint: mrkdwn('a') },
      inActions({ ...button, text: mrkdwn('a') }),
      { ...BLOCKS['video']?.[0], description: mrkdwn('a') },
      { ...BLOCKS['container']?.[0], title: mrkdwn('a') },
    ];
    expect(await faults(...plainOnly)).toMatchObject(
      plainOnly.map(() => ({
        message: 'unsupported type: mrkdwn',
        constraint: { type: 'enum', expected: ['plain_text'], got: 'mrkdwn' },
      })),
    );
  });

  it('ids are unique in a message and in a block', async () => {
    const same = { type: 'divider', block_id: 'a' };
    const container = { ...BLOCKS['container']?.[0], child_blocks: [same] };
    expect(await pointers(same, same, container)).toEqual(['/1/block_id', '/2/child_blocks/0/block_id']);
    const twice = {
      type: 'actions',
      elements: [
        { ...button, action_id: 'a' },
        { ...button, action_id: 'a' },
      ],
    };
    expect(await pointers(twice, inActions({ ...button, action_id: 'a' }))).toEqual(['/0/elements/1/action_id']);
  });

  it('markdown, charts and texts of cells are counted over a whole message', async () => {
    const markdown = (length: number) => ({ type: 'markdown', text: x(length) });
    expect(await faults(markdown(6_000), markdown(6_000))).toEqual([]);
    expect(await pointers(markdown(6_000), markdown(6_001))).toEqual(['/1/text']);
    const chart = chartOf(pie([{ label: 'a', value: 1 }]));
    expect(await faults(chart, chart)).toEqual([]);
    expect(await pointers(chart, chart, chart)).toEqual(['/2']);
    for (const more of [{ type: 'table' }, { type: 'data_table', caption: 'a' }]) {
      const table = (length: number) => ({
        ...more,
        rows: [[cell(x(5_000))], [rich({ type: 'text', text: x(length) })]],
      });
      expect(await faults(table(5_000), table(5_000))).toEqual([]);
      expect(await faults(table(5_001))).toMatchObject([
        { pointer: '/0/rows', constraint: { type: 'max_length', expected: '10000', got: '10001' } },
      ]);
    }
  });

  it('tables and charts are whole', async () => {
    const wide = (columns: number) => times(2, () => times(columns, () => cell()));
    expect(await faults({ type: 'data_table', caption: 'a', rows: wide(20) })).toEqual([]);
    for (const [columns, limit] of [
      [0, { type: 'min_items', expected: '1', got: '0' }],
      [21, { type: 'max_items', expected: '20', got: '21' }],
    ] as const) {
      expect(await faults({ type: 'data_table', caption: 'a', rows: wide(columns) })).toMatchObject(
        [0, 1].map((row) => ({ pointer: `/0/rows/${row}`, constraint: limit })),
      );
    }
    const table = (...rows: unknown[]) => ({ type: 'data_table', caption: 'a', rows });
    expect(await pointers(table([cell(), cell()], [cell()]), table([rich()], [rich()]))).toEqual([
      '/0/rows/1',
      '/1/rows/0/0/type',
    ]);
    expect(await pointers({ type: 'table', rows: [[{ type: 'text', text: 'a' }]] })).toEqual(['/0/rows/0/0/type']);
    const named = (label: string) =>
      chartOf(bars({ categories: [label] }, [{ name: 's', data: [{ label, value: 1 }] }]));
    expect(await faults(named(x(20)))).toEqual([]);
    const places = ['/0/chart/axis_config/categories/0', '/0/chart/series/0/data/0/label'];
    expect(await pointers(named(x(21)))).toEqual(places);
    expect(await pointers(named(''))).toEqual(places);
    const two = { categories: ['a', 'b'] };
    const series = (...labels: string[]) => ({ name: 's', data: labels.map((label) => ({ label, value: 1 })) });
    expect(await faults(chartOf(bars(two, [series('b', 'a')])))).toEqual([]);
    for (const labels of [['a'], ['a', 'a'], ['a', 'c'], ['a', 'b', 'b']]) {
      expect(await pointers(chartOf(bars(two, [series(...labels)])))).toEqual(['/0/chart/series/0/data']);
    }
    expect(await pointers(chartOf(bars(two, [series('a', 'b'), series('a', 'b')])))).toEqual([
      '/0/chart/series/1/name',
    ]);
    expect(await pointers(chartOf({ type: 'donut' }))).toEqual(['/0/chart/type']);
  });

  it('an image has one source, and a card something to show', async () => {
    const image = { type: 'image', alt_text: 'a' };
    const sources: [Json, string[]][] = [
      [{ ...image, slack_file: { id: 'F1' } }, []],
      [{ ...image, slack_file: { url } }, []],
      [image, ['/0']],
      [{ ...picture, slack_file: { id: 'F1' } }, ['/0']],
      [{ ...image, slack_file: {} }, ['/0/slack_file']],
      [{ ...image, slack_file: { id: 'F1', url } }, ['/0/slack_file']],
      [{ type: 'card', subtitle: plain('a') }, ['/0']],
      [{ type: 'card', hero_image: picture }, []],
      [{ type: 'card', actions: [button] }, []],
      [{ type: 'card', body: plain('a') }, []],
      [{ ...BLOCKS['container']?.[0], default_collapsed: true }, ['/0/default_collapsed']],
      [
        { ...BLOCKS['task_card']?.[0], details: rich(), output: rich(), sources: [{ type: 'url', url, text: 'a' }] },
        [],
      ],
      [{ ...BLOCKS['task_card']?.[0], sources: [{ type: 'url', url }] }, ['/0/sources/0']],
      [{ ...BLOCKS['task_card']?.[0], details: plain('a') }, ['/0/details/type']],
      [inInput({ type: 'number_input', is_decimal_allowed: true, min_value: '1', max_value: '1' }), []],
      [
        inInput({ type: 'number_input', is_decimal_allowed: true, min_value: '2', max_value: '1' }),
        ['/0/element/min_value'],
      ],
      [inActions({ type: 'rich_text_input', initial_value: rich() }), []],
      [inActions({ type: 'rich_text_input', initial_value: plain('a') }), ['/0/elements/0/initial_value/type']],
    ];
    for (const [block, where] of sources) expect({ block, where: await pointers(block) }).toEqual({ block, where });
  });

  it('rich text is made of its parts, each with what it needs', async () => {
    for (const [type, element] of Object.entries(INLINE)) {
      const whole = { type, ...element };
      expect(await faults(rich({ ...whole, style: { bold: true } }))).toEqual([]);
      for (const field of Object.keys(element)) {
        expect(await faults(rich(without(whole, field)))).toEqual([required(field, '/0/elements/0/elements/0')]);
      }
      const code = { type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements: [whole], border: 1 }] };
      const where = type === 'text' || type === 'link' ? [] : ['/0/elements/0/elements/0/type'];
      expect(await pointers(code)).toEqual(where);
      const quote = { type: 'rich_text', elements: [{ type: 'rich_text_quote', elements: [whole], border: 0 }] };
      expect(await faults(quote)).toEqual([]);
    }
    expect(await pointers(rich({ type: 'nothing' }))).toEqual(['/0/elements/0/elements/0/type']);
    const listOf = (item: Json) => ({
      type: 'rich_text',
      elements: [{ type: 'rich_text_list', style: 'ordered', elements: [item] }],
    });
    expect(await faults(listOf({ type: 'rich_text_section', elements: [] }))).toEqual([]);
    expect(await pointers(listOf({ type: 'text', text: 'a' }))).toEqual(['/0/elements/0/elements/0/type']);
    expect(
      await pointers({ type: 'rich_text', elements: [{ type: 'rich_text_section' }, { type: 'text', text: 'a' }] }),
    ).toEqual(['/0/elements/0', '/0/elements/1/type']);
  });

  it('alerts are for modals, and one element of a view has the focus', async () => {
    const alert = (text: unknown, level = 'default') => ({ type: 'alert', text, level });
    expect(await faults(alert(plain('a')))).toMatchObject([{ message: 'unsupported type: alert', pointer: '/0/type' }]);
    for (const level of ['default', 'info', 'warning', 'error', 'success']) {
      expect(await inModal(alert(mrkdwn(x(200)), level))).toEqual([]);
    }
    expect(await inModal(alert(plain(x(201))), alert(plain('')), alert(plain('a'), 'loud'))).toMatchObject([
      { pointer: '/blocks/0/text/text', constraint: { type: 'max_length', expected: '200', got: '201' } },
      { pointer: '/blocks/1/text/text', constraint: { type: 'min_length', expected: '1', got: '0' } },
      { pointer: '/blocks/2/level', constraint: { type: 'enum', got: 'loud' } },
    ]);
    const focused = inInput({ type: 'plain_text_input', focus_on_load: true });
    expect(await inModal(focused)).toEqual([]);
    expect(await inModal(focused, focused)).toMatchObject([{ pointer: '/blocks/1/element/focus_on_load' }]);
  });

  it('fields that no rule names are kept, and null is absent', async () => {
    const ws = await app.workspace();
    const poster = await ws.bot();
    const sent = { type: 'section', text: { ...mrkdwn('a'), novelty: 1 }, novelty: { a: [1] }, accessory: null };
    const { message } = await poster.call('chat.postMessage', { channel: ws.general.id, text: 'a', blocks: [sent] });
    expect(message.blocks).toMatchObject([{ text: { novelty: 1 }, novelty: { a: [1] } }]);
  });
});
