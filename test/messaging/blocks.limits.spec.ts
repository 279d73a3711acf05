import { describe, expect, it } from 'vitest';
import { useApp } from '../support/app.js';
import {
  BLOCKS,
  ELEMENTS,
  type Json,
  type Wrap,
  bars,
  blockChecks,
  button,
  card,
  cell,
  chartOf,
  data,
  elementWith,
  feedback,
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
  richList,
  task,
  times,
  url,
  x,
} from '../support/blocks.js';

type Limit = [
  what: string,
  sort: 'text' | 'list' | 'whole',
  wrap: Wrap,
  at: string,
  least: number,
  most: number,
  item?: (i: number) => unknown,
];

/** Fields with the least and the most that they hold: characters, items, or a number. */
// prettier-ignore
const LIMITS: Limit[] = [
  ['block_id', 'text', (block_id) => ({ type: 'divider', block_id }), '/block_id', 0, 255],
  ['section.text', 'text', (text) => ({ type: 'section', text: mrkdwn(text) }), '/text/text', 1, 3000],
  ['section.fields', 'list', (fields) => ({ type: 'section', fields }), '/fields', 1, 10, () => mrkdwn('a')],
  ['section.fields[]', 'text', (text) => ({ type: 'section', fields: [plain(text)] }), '/fields/0/text', 1, 2000],
  ['header.text', 'text', (text) => ({ type: 'header', text: plain(text) }), '/text/text', 1, 150],
  ['image.alt_text', 'text', (alt_text) => ({ ...picture, alt_text }), '/alt_text', 0, 2000],
  ['image.image_url', 'text', (image_url) => ({ ...picture, image_url }), '/image_url', 1, 3000],
  ['image.title', 'text', (text) => ({ ...picture, title: plain(text) }), '/title/text', 1, 2000],
  ['context.elements', 'list', (elements) => ({ type: 'context', elements }), '/elements', 1, 10, () => mrkdwn('a')],
  ['context_actions.elements', 'list', (elements) => ({ type: 'context_actions', elements }), '/elements', 1, 5, () => ELEMENTS['icon_button']],
  ['actions.elements', 'list', (elements) => ({ type: 'actions', elements }), '/elements', 1, 25, () => button],
  ['input.label', 'text', (text) => ({ ...inInput(ELEMENTS['datepicker'] as Json), label: plain(text) }), '/label/text', 1, 2000],
  ['input.hint', 'text', (text) => ({ ...inInput(ELEMENTS['datepicker'] as Json), hint: plain(text) }), '/hint/text', 1, 2000],
  ['markdown.text', 'text', (text) => ({ type: 'markdown', text }), '/text', 1, 12_000],
  ['table.rows', 'list', (rows) => ({ type: 'table', rows }), '/rows', 1, 100, () => [cell()]],
  ['table.rows[]', 'list', (row) => ({ type: 'table', rows: [row] }), '/rows/0', 1, 20, () => cell()],
  ['table.column_settings', 'list', (column_settings) => ({ type: 'table', rows: [[cell()]], column_settings }), '/column_settings', 0, 20, () => ({ align: 'left' })],
  ['data_table.rows', 'list', (rows) => ({ type: 'data_table', caption: 'a', rows }), '/rows', 2, 101, () => [cell()]],
  ['data_table.caption', 'text', (caption) => ({ type: 'data_table', caption, rows: [[cell()], [cell()]] }), '/caption', 1, Infinity],
  ['data_table.page_size', 'whole', (page_size) => ({ type: 'data_table', caption: 'a', rows: [[cell()], [cell()]], page_size }), '/page_size', 1, 100],
  ['data_table.row_header_column_index', 'whole', (row_header_column_index) => ({ type: 'data_table', caption: 'a', rows: [[cell(), cell()], [cell(), cell()]], row_header_column_index }), '/row_header_column_index', 0, 1],
  ['raw_text.text', 'text', (text) => ({ type: 'table', rows: [[cell(text)]] }), '/rows/0/0/text', 1, Infinity],
  ['raw_number.text', 'text', (text) => ({ type: 'table', rows: [[{ type: 'raw_number', value: 1, text }]] }), '/rows/0/0/text', 1, Infinity],
  ['card.title', 'text', (text) => ({ type: 'card', title: plain(text) }), '/title/text', 1, 150],
  ['card.subtitle', 'text', (text) => ({ ...card, subtitle: plain(text) }), '/subtitle/text', 1, 150],
  ['card.body', 'text', (text) => ({ type: 'card', body: mrkdwn(text) }), '/body/text', 1, 200],
  ['card.subtext', 'text', (text) => ({ ...card, subtext: mrkdwn(text) }), '/subtext/text', 1, 200],
  ['card.actions', 'list', (actions) => ({ type: 'card', actions }), '/actions', 1, 3, () => button],
  ['carousel.elements', 'list', (elements) => ({ type: 'carousel', elements }), '/elements', 1, 10, () => card],
  ['container.title', 'text', (text) => ({ type: 'container', title: plain(text), child_blocks: [{ type: 'divider' }] }), '/title/text', 1, 150],
  ['container.subtitle', 'text', (text) => ({ type: 'container', title: plain('a'), subtitle: mrkdwn(text), child_blocks: [{ type: 'divider' }] }), '/subtitle/text', 1, 150],
  ['container.child_blocks', 'list', (child_blocks) => ({ type: 'container', title: plain('a'), child_blocks }), '/child_blocks', 1, 10, () => ({ type: 'divider' })],
  ['task_card.task_id', 'text', (task_id) => ({ type: 'task_card', ...task, task_id }), '/task_id', 1, Infinity],
  ['task_card.title', 'text', (title) => ({ type: 'task_card', ...task, title }), '/title', 1, 256],
  ['plan.title', 'text', (title) => ({ type: 'plan', title }), '/title', 0, 256],
  ['plan.tasks', 'list', (tasks) => ({ type: 'plan', title: 'a', tasks }), '/tasks', 0, 50, () => task],
  ['video.title', 'text', (text) => ({ type: 'video', video_url: url, thumbnail_url: url, alt_text: 'a', title: plain(text) }), '/title/text', 1, 200],
  ['video.author_name', 'text', (author_name) => ({ type: 'video', video_url: url, thumbnail_url: url, alt_text: 'a', title: plain('a'), author_name }), '/author_name', 0, 50],
  ['video.description', 'text', (text) => ({ type: 'video', video_url: url, thumbnail_url: url, alt_text: 'a', title: plain('a'), description: plain(text) }), '/description/text', 1, 200],
  ['file.external_id', 'text', (external_id) => ({ type: 'file', source: 'remote', external_id }), '/external_id', 1, Infinity],
  ['action_id', 'text', ...elementWith('button', 'action_id'), 0, 255],
  ['placeholder', 'text', (text) => inActions({ ...ELEMENTS['users_select'], placeholder: plain(text) }), '/elements/0/placeholder/text', 1, 150],
  ['button.text', 'text', (text) => inActions({ ...button, text: plain(text) }), '/elements/0/text/text', 1, 75],
  ['button.value', 'text', ...elementWith('button', 'value'), 0, 2000],
  ['button.url', 'text', ...elementWith('button', 'url'), 0, 3000],
  ['button.accessibility_label', 'text', ...elementWith('button', 'accessibility_label'), 1, 75],
  ['workflow_button.workflow.trigger.url', 'text', (value) => inActions({ ...ELEMENTS['workflow_button'], workflow: { trigger: { url: value } } }), '/elements/0/workflow/trigger/url', 1, Infinity],
  ['feedback_buttons.positive_button.text', 'text', (text) => inContextActions({ ...ELEMENTS['feedback_buttons'], positive_button: { ...feedback, text: plain(text) } }), '/elements/0/positive_button/text/text', 1, 75],
  ['feedback_buttons.negative_button.value', 'text', (value) => inContextActions({ ...ELEMENTS['feedback_buttons'], negative_button: { ...feedback, value } }), '/elements/0/negative_button/value', 0, 2000],
  ['feedback_buttons.accessibility_label', 'text', (accessibility_label) => inContextActions({ ...ELEMENTS['feedback_buttons'], negative_button: { ...feedback, accessibility_label } }), '/elements/0/negative_button/accessibility_label', 1, 75],
  ['icon_button.text', 'text', (text) => inContextActions({ ...ELEMENTS['icon_button'], text: plain(text) }), '/elements/0/text/text', 1, 75],
  ['icon_button.value', 'text', ...elementWith('icon_button', 'value'), 0, 2000],
  ['checkboxes.options', 'list', ...elementWith('checkboxes', 'options'), 1, 10, (i: number) => option(`${i}`)],
  ['radio_buttons.options', 'list', ...elementWith('radio_buttons', 'options'), 1, 10, (i: number) => option(`${i}`)],
  ['overflow.options', 'list', ...elementWith('overflow', 'options'), 1, 5, (i: number) => option(`${i}`)],
  ['static_select.options', 'list', ...elementWith('static_select', 'options'), 1, 100, (i: number) => option(`${i}`)],
  ['multi_static_select.options', 'list', ...elementWith('multi_static_select', 'options'), 1, 100, (i: number) => option(`${i}`)],
  ['static_select.option_groups', 'list', (option_groups) => inActions({ type: 'static_select', option_groups }), '/elements/0/option_groups', 1, 100, () => ({ label: plain('a'), options })],
  ['option_group.label', 'text', (text) => inActions({ type: 'static_select', option_groups: [{ label: plain(text), options }] }), '/elements/0/option_groups/0/label/text', 1, 75],
  ['option_group.options', 'list', (all) => inActions({ type: 'static_select', option_groups: [{ label: plain('a'), options: all }] }), '/elements/0/option_groups/0/options', 1, 100, (i) => option(`${i}`)],
  ['option.text', 'text', (text) => inActions({ type: 'overflow', options: [{ text: plain(text), value: 'a' }] }), '/elements/0/options/0/text/text', 1, 75],
  ['option.value', 'text', (value) => inActions({ type: 'overflow', options: [option(value)] }), '/elements/0/options/0/value', 0, 150],
  ['option.description', 'text', (text) => inActions({ type: 'overflow', options: [option('a', { description: plain(text) })] }), '/elements/0/options/0/description/text', 1, 75],
  ['option.url', 'text', (value) => inActions({ type: 'overflow', options: [option('a', { url: value })] }), '/elements/0/options/0/url', 1, 3000],
  ['max_selected_items', 'whole', ...elementWith('multi_users_select', 'max_selected_items'), 1, Infinity],
  ['min_query_length', 'whole', ...elementWith('external_select', 'min_query_length'), 0, Infinity],
  ['filter.include', 'list', (include) => inActions({ type: 'conversations_select', filter: { include } }), '/elements/0/filter/include', 1, Infinity, () => 'im'],
  ['datetimepicker.initial_date_time', 'whole', ...elementWith('datetimepicker', 'initial_date_time'), 1_000_000_000, 9_999_999_999],
  ['plain_text_input.min_length', 'whole', ...elementWith('plain_text_input', 'min_length'), 0, 3000],
  ['plain_text_input.max_length', 'whole', ...elementWith('plain_text_input', 'max_length'), 1, 3000],
  ['file_input.max_files', 'whole', ...elementWith('file_input', 'max_files'), 1, 10],
  ['confirm.title', 'text', (text) => inActions({ ...button, confirm: { title: plain(text), text: plain('a') } }), '/elements/0/confirm/title/text', 1, 100],
  ['confirm.text', 'text', (text) => inActions({ ...button, confirm: { text: mrkdwn(text) } }), '/elements/0/confirm/text/text', 1, 300],
  ['confirm.confirm', 'text', (text) => inActions({ ...button, confirm: { text: plain('a'), confirm: plain(text) } }), '/elements/0/confirm/confirm/text', 1, 30],
  ['confirm.deny', 'text', (text) => inActions({ ...button, confirm: { text: plain('a'), deny: plain(text) } }), '/elements/0/confirm/deny/text', 1, 30],
  ['rich_text_list.indent', 'whole', richList('indent'), '/elements/0/indent', 0, 8],
  ['rich_text_list.offset', 'whole', richList('offset'), '/elements/0/offset', 0, Infinity],
  ['rich_text_list.border', 'whole', richList('border'), '/elements/0/border', 0, 1],
];

/** The same of charts, of which a message has two at most. */
// prettier-ignore
const CHART_LIMITS: Limit[] = [
  ['data_visualization.title', 'text', (title) => ({ type: 'data_visualization', title, chart: pie([{ label: 'a', value: 1 }]) }), '/title', 1, 50],
  ['pie.segments', 'list', (segments) => chartOf(pie(segments)), '/chart/segments', 1, 12, (i) => ({ label: `${i}`, value: 1 })],
  ['pie.segments[].label', 'text', (label) => chartOf(pie([{ label, value: 1 }])), '/chart/segments/0/label', 1, 20],
  ['axis_config.categories', 'list', (categories) => chartOf(bars({ categories }, [{ name: 's', data: (categories as string[]).map((label) => ({ label, value: 1 })) }])), '/chart/axis_config/categories', 1, 20, (i) => `c${i}`],
  ['axis_config.x_label', 'text', (x_label) => chartOf(bars({ x_label }, [{ name: 's', data }])), '/chart/axis_config/x_label', 1, 50],
  ['axis_config.y_label', 'text', (y_label) => chartOf(bars({ y_label }, [{ name: 's', data }], 'area')), '/chart/axis_config/y_label', 1, 50],
  ['series', 'list', (series) => chartOf(bars({}, series)), '/chart/series', 1, 12, (i) => ({ name: `s${i}`, data })],
  ['series[].name', 'text', (name) => chartOf(bars({}, [{ name, data }])), '/chart/series/0/name', 1, 20],
];

// docs/reference/blocks.md
describe('the limits of blocks', () => {
  const app = useApp();
  const { faults, pointers } = blockChecks(app);

  const walk = async ([, sort, wrap, at, least, most, item = () => null]: Limit) => {
    const value = (n: number): unknown => (sort === 'text' ? x(n) : sort === 'list' ? times(n, item) : n);
    const constraint = (kind: 'min' | 'max', limit: number, got: number) => {
      if (sort === 'whole') return {};
      const type = `${kind}_${sort === 'text' ? 'length' : 'items'}`;
      return { constraint: { type, expected: String(limit), got: String(got) } };
    };
    if (least > 0 || sort === 'whole') {
      const [fault, ...more] = await faults(wrap(value(least - 1)));
      expect(fault).toMatchObject({
        code: 'failed_constraint',
        pointer: `/0${at}`,
        ...constraint('min', least, least - 1),
      });
      expect(more.filter(({ pointer }) => pointer === `/0${at}`)).toEqual([]);
    }
    expect(await faults(wrap(value(least)))).toEqual([]);
    if (most === Infinity) return;
    expect(await faults(wrap(value(most)))).toEqual([]);
    expect(await faults(wrap(value(most + 1)))).toMatchObject([
      { code: 'failed_constraint', pointer: `/0${at}`, ...constraint('max', most, most + 1) },
    ]);
  };

  it.each(LIMITS)('%s', async (...limit) => walk(limit));
  it.each(CHART_LIMITS)('%s', async (...limit) => walk(limit));

  it('characters are counted, not their parts', async () => {
    expect(await faults({ type: 'header', text: plain('🎉'.repeat(150)) })).toEqual([]);
    expect(await pointers({ type: 'header', text: plain('🎉'.repeat(151)) })).toEqual(['/0/text/text']);
  });

  it.each<[string, Wrap, string, string[]]>([
    ['button.style', ...elementWith('button', 'style'), ['primary', 'danger']],
    ['icon_button.icon', ...elementWith('icon_button', 'icon'), ['trash']],
    [
      'confirm.style',
      (style) => inActions({ ...button, confirm: { text: plain('a'), style } }),
      '/elements/0/confirm/style',
      ['primary', 'danger'],
    ],
    [
      'filter.include',
      (kind) => inActions({ type: 'conversations_select', filter: { include: [kind] } }),
      '/elements/0/filter/include/0',
      ['im', 'mpim', 'private', 'public'],
    ],
    [
      'dispatch_action_config',
      (on) => inInput({ type: 'plain_text_input', dispatch_action_config: { trigger_actions_on: [on] } }),
      '/element/dispatch_action_config/trigger_actions_on/0',
      ['on_enter_pressed', 'on_character_entered'],
    ],
    [
      'table.column_settings[].align',
      (align) => ({ ...BLOCKS['table']?.[0], column_settings: [{ align }] }),
      '/column_settings/0/align',
      ['left', 'center', 'right'],
    ],
    [
      'container.width',
      (width) => ({ ...BLOCKS['container']?.[0], width }),
      '/width',
      ['narrow', 'standard', 'wide', 'full'],
    ],
    [
      'task_card.status',
      (status) => ({ ...BLOCKS['task_card']?.[0], status }),
      '/status',
      ['pending', 'in_progress', 'complete', 'error'],
    ],
    ['file.source', (source) => ({ ...BLOCKS['file']?.[0], source }), '/source', ['remote']],
    ['rich_text_list.style', richList('style'), '/elements/0/style', ['bullet', 'ordered']],
    [
      'broadcast.range',
      (range) => rich({ type: 'broadcast', range }),
      '/elements/0/elements/0/range',
      ['here', 'channel', 'everyone'],
    ],
  ])('%s is one of its words', async (_, wrap, at, words) => {
    for (const word of words) expect(await faults(wrap(word))).toEqual([]);
    expect(await faults(wrap('nothing'))).toMatchObject([
      { code: 'failed_constraint', pointer: `/0${at}`, constraint: { type: 'enum', expected: words, got: 'nothing' } },
    ]);
    expect(await pointers(wrap(7))).toEqual([`/0${at}`]);
  });

  it.each<[string, Wrap, string]>([
    ['section.expand', (expand) => ({ ...BLOCKS['section']?.[0], expand }), '/expand'],
    ['input.optional', (optional) => ({ ...BLOCKS['input']?.[0], optional }), '/optional'],
    ['input.dispatch_action', (dispatch_action) => ({ ...BLOCKS['input']?.[0], dispatch_action }), '/dispatch_action'],
    [
      'column_settings[].is_wrapped',
      (is_wrapped) => ({ ...BLOCKS['table']?.[0], column_settings: [{ is_wrapped }] }),
      '/column_settings/0/is_wrapped',
    ],
    [
      'container.is_collapsible',
      (is_collapsible) => ({ ...BLOCKS['container']?.[0], is_collapsible }),
      '/is_collapsible',
    ],
    [
      'container.default_collapsed',
      (default_collapsed) => ({ ...BLOCKS['container']?.[0], is_collapsible: true, default_collapsed }),
      '/default_collapsed',
    ],
    [
      'container.has_header_divider',
      (has_header_divider) => ({ ...BLOCKS['container']?.[0], has_header_divider }),
      '/has_header_divider',
    ],
    ['plain_text.emoji', (emoji) => ({ type: 'section', text: { ...plain('a'), emoji } }), '/text/emoji'],
    ['mrkdwn.verbatim', (verbatim) => ({ type: 'section', text: { ...mrkdwn('a'), verbatim } }), '/text/verbatim'],
    ['focus_on_load', ...elementWith('plain_text_input', 'focus_on_load')],
    ['plain_text_input.multiline', ...elementWith('plain_text_input', 'multiline')],
    ['number_input.is_decimal_allowed', ...elementWith('number_input', 'is_decimal_allowed')],
    [
      'a style of rich text',
      (bold) => rich({ type: 'text', text: 'a', style: { bold } }),
      '/elements/0/elements/0/style/bold',
    ],
  ])('%s is true or false', async (_, wrap, at) => {
    for (const value of [true, false]) expect(await faults(wrap(value))).toEqual([]);
    for (const value of ['true', 1]) {
      expect(await faults(wrap(value))).toMatchObject([{ message: 'must be a boolean', pointer: `/0${at}` }]);
    }
  });

  it.each<[string, unknown[], unknown[], Wrap, string]>([
    [
      'datepicker.initial_date',
      ['2026-02-28'],
      ['2026-02-40', '28.2.2026', 7],
      ...elementWith('datepicker', 'initial_date'),
    ],
    [
      'timepicker.initial_time',
      ['00:00', '23:59'],
      ['24:00', '9:00', '12:60'],
      ...elementWith('timepicker', 'initial_time'),
    ],
    ['number_input.min_value', ['-1.5'], ['many', 1], ...elementWith('number_input', 'min_value')],
    ['plain_text_input.initial_value', ['', 'a'], [7], ...elementWith('plain_text_input', 'initial_value')],
    ['email_text_input.initial_value', ['a'], [7], ...elementWith('email_text_input', 'initial_value')],
    ['url_text_input.initial_value', ['a'], [7], ...elementWith('url_text_input', 'initial_value')],
    ['file_input.filetypes', [[], ['pdf']], ['pdf'], ...elementWith('file_input', 'filetypes')],
    ['icon_button.visible_to_user_ids', [['U1']], ['U1'], ...elementWith('icon_button', 'visible_to_user_ids')],
    ['users_select.initial_user', ['U1'], [['U1']], ...elementWith('users_select', 'initial_user')],
    ['multi_users_select.initial_users', [['U1']], ['U1'], ...elementWith('multi_users_select', 'initial_users')],
    ['channels_select.initial_channel', ['C1'], [7], ...elementWith('channels_select', 'initial_channel')],
    [
      'multi_channels_select.initial_channels',
      [['C1']],
      ['C1'],
      ...elementWith('multi_channels_select', 'initial_channels'),
    ],
    [
      'conversations_select.initial_conversation',
      ['C1'],
      [7],
      ...elementWith('conversations_select', 'initial_conversation'),
    ],
    [
      'multi_conversations_select.initial_conversations',
      [['C1']],
      ['C1'],
      ...elementWith('multi_conversations_select', 'initial_conversations'),
    ],
    [
      'conversations_select.filter',
      [{ include: ['im'] }, { exclude_bot_users: true }],
      [{}, 'im'],
      ...elementWith('conversations_select', 'filter'),
    ],
    ['external_select.initial_option', [option('a')], [['a']], ...elementWith('external_select', 'initial_option')],
    ['static_select.initial_option', [option('v0')], [option('v1')], ...elementWith('static_select', 'initial_option')],
    ['radio_buttons.initial_option', [option('v0')], [option('v1')], ...elementWith('radio_buttons', 'initial_option')],
    [
      'video.video_url',
      [url],
      ['http://a.example/a', 'a'],
      (video_url) => ({ ...BLOCKS['video']?.[0], video_url }),
      '/video_url',
    ],
    [
      'video.title_url',
      [url],
      ['http://a.example/a'],
      (title_url) => ({ ...BLOCKS['video']?.[0], title_url }),
      '/title_url',
    ],
    [
      'color.value',
      ['#1264A3'],
      ['red', '#fff'],
      (value) => rich({ type: 'color', value }),
      '/elements/0/elements/0/value',
    ],
    [
      'date.timestamp',
      [0, 1767225600],
      ['1', 1.5],
      (timestamp) => rich({ type: 'date', timestamp, format: 'x' }),
      '/elements/0/elements/0/timestamp',
    ],
    [
      'raw_number.value',
      [0, -1.5],
      ['1'],
      (value) => ({ type: 'table', rows: [[{ type: 'raw_number', text: '1', value }]] }),
      '/rows/0/0/value',
    ],
    [
      'pie.segments[].value',
      [0.1],
      [0, -1, '1'],
      (value) => chartOf(pie([{ label: 'a', value }])),
      '/chart/segments/0/value',
    ],
    [
      'series[].data[].value',
      [0, -1],
      ['1'],
      (value) => chartOf(bars({}, [{ name: 's', data: [{ label: 'a', value }] }])),
      '/chart/series/0/data/0/value',
    ],
  ])('%s has its form', async (_, good, wrong, wrap, at) => {
    for (const value of good) expect(await faults(wrap(value))).toEqual([]);
    for (const value of wrong) {
      const where = await pointers(wrap(value));
      expect(where).toEqual([expect.stringMatching(new RegExp(`^/0${at}`))]);
    }
  });
});
