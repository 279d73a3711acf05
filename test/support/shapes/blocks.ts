type Json = Record<string, unknown>;

const plain = (text: string): Json => ({ type: 'plain_text', text });
const mrkdwn = (text: string): Json => ({ type: 'mrkdwn', text });
const cell = (text: string): Json => ({ type: 'raw_text', text });
const number = (value: number): Json => ({ type: 'raw_number', text: value.toLocaleString('en'), value });
const rich = (...elements: Json[]): Json => ({ type: 'rich_text', elements });
const line = (...elements: Json[]): Json => ({ type: 'rich_text_section', elements });
const text = (words: string, style?: Json): Json => ({ type: 'text', text: words, ...(style && { style }) });
const option = (value: string): Json => ({ text: plain(`Option ${value}`), value });
const image = (name: string): Json => ({
  type: 'image',
  image_url: `https://images.example/${name}.png`,
  alt_text: `A picture of ${name}`,
});

/** Words without a place to break, as apps send them. */
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitaensmuetzenabzeichenverordnung'.repeat(2).slice(0, 150);

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June'];
const series = (name: string, values: readonly number[]): Json => ({
  name,
  data: MONTHS.map((label, index) => ({ label, value: values[index] ?? 0 })),
});
const axes = { axis_config: { categories: MONTHS, x_label: 'Month', y_label: 'Thousands' } };
const both = [series('Orders', [4, 8, 15, 16, 23, 42]), series('Returns', [1, -2, 3, 2, 5, 4])];

/** A block of each type that messages and modals take, with everything that its type has. */
export const SAMPLE_BLOCKS: Readonly<Record<string, Json>> = {
  section: { type: 'section', text: mrkdwn('A *section*'), fields: [plain('A field'), mrkdwn('_Another_')] },
  header: { type: 'header', text: plain('A header') },
  divider: { type: 'divider' },
  image: { ...image('hills'), title: plain('Hills') },
  context: { type: 'context', elements: [image('dot'), mrkdwn('a context')] },
  actions: { type: 'actions', elements: [{ type: 'button', action_id: 'b', text: plain('A button') }] },
  context_actions: {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: 'sample_feedback',
        positive_button: { text: plain('Good'), value: 'good', accessibility_label: 'A good answer' },
        negative_button: { text: plain('Bad'), value: 'bad', accessibility_label: 'A bad answer' },
      },
      { type: 'icon_button', action_id: 'sample_icon', icon: 'trash', text: plain('Throw away') },
    ],
  },
  input: { type: 'input', label: plain('An input'), element: { type: 'plain_text_input', action_id: 'i' } },
  markdown: { type: 'markdown', text: '## Marked down\n\n- an item\n\n`code`' },
  rich_text: rich(
    line(
      text('Rich ', { bold: true, italic: true, underline: true, highlight: true }),
      { type: 'link', url: 'https://example.com', text: 'a link' },
      text(' '),
      { type: 'emoji', name: 'wave' },
      text(' '),
      { type: 'broadcast', range: 'here' },
      { type: 'date', timestamp: 1_767_225_600, format: '{date_num}', url: 'https://example.com/day' },
      text(' '),
      { type: 'color', value: '#1264a3' },
    ),
    { type: 'rich_text_list', style: 'ordered', offset: 2, elements: [line(text('third'))] },
    { type: 'rich_text_list', style: 'bullet', indent: 5, border: 1, elements: [line(text('deep'))] },
    { type: 'rich_text_quote', elements: [text('a quote')] },
    { type: 'rich_text_preformatted', elements: [text('preformatted')] },
  ),
  table: {
    type: 'table',
    column_settings: [{ align: 'left' }, { align: 'right', is_wrapped: true }],
    rows: [
      [cell('Name'), cell('Count')],
      [rich(line(text('alpha'))), number(1_200)],
    ],
  },
  data_table: {
    type: 'data_table',
    caption: 'Cities by people',
    page_size: 3,
    rows: [
      [cell('City'), cell('People')],
      ...(
        [
          ['Oslo', 709_000],
          ['Riga', 605_000],
          ['Bern', 134_000],
          ['Rome', 2_750_000],
          [LONG, 7],
        ] as const
      ).map(([name, people]) => [cell(name), number(people)]),
    ],
  },
  data_visualization: {
    type: 'data_visualization',
    title: 'Orders by month',
    chart: { type: 'bar', ...axes, series: both },
  },
  alert: { type: 'alert', level: 'warning', text: mrkdwn('This is *sent* to everybody') },
  card: {
    type: 'card',
    icon: image('icon'),
    title: plain('A card'),
    subtitle: mrkdwn('_below it_'),
    hero_image: image('hero'),
    body: mrkdwn('Its body'),
    subtext: plain('small print'),
    actions: [{ type: 'button', action_id: 'take', text: plain('Take it'), style: 'primary' }],
  },
  carousel: {
    type: 'carousel',
    elements: ['One', 'Two', 'Three', 'Four'].map((name) => ({
      type: 'card',
      title: plain(`Card ${name}`),
      body: plain(`The body of ${name}`),
    })),
  },
  container: {
    type: 'container',
    title: plain('A container'),
    subtitle: plain('with blocks inside'),
    icon: image('box'),
    width: 'wide',
    is_collapsible: true,
    default_collapsed: true,
    has_header_divider: true,
    child_blocks: [
      { type: 'section', text: plain('Inside the container') },
      { type: 'actions', elements: [{ type: 'button', action_id: 'inner', text: plain('Inner button') }] },
    ],
  },
  task_card: {
    type: 'task_card',
    task_id: 't1',
    title: `Read the manual ${LONG}`.slice(0, 200),
    status: 'in_progress',
    details: rich(line(text('Page 12 of 40'))),
    output: rich(line(text('Nothing yet'))),
    sources: [{ type: 'url', url: 'https://example.com/manual', text: 'The manual' }],
  },
  plan: {
    type: 'plan',
    title: 'Release',
    tasks: [
      { task_id: 'p1', title: 'Build', status: 'complete' },
      { task_id: 'p2', title: 'Test', status: 'error', output: rich(line(text('2 failed'))) },
      { type: 'task_card', task_id: 'p3', title: 'Ship', status: 'pending' },
    ],
  },
  video: {
    type: 'video',
    video_url: 'https://video.example/1',
    thumbnail_url: 'https://video.example/1.png',
    alt_text: 'a film',
    title: plain('A film'),
    author_name: 'Ann',
    provider_name: 'Films',
    description: plain('About hills'),
  },
  file: { type: 'file', source: 'remote', external_id: 'F-77' },
};

/** The other types of charts. */
export const SAMPLE_CHARTS: readonly Json[] = [
  {
    type: 'data_visualization',
    title: 'Share of browsers',
    chart: {
      type: 'pie',
      segments: [
        { label: 'Chromium', value: 70 },
        { label: 'WebKit', value: 20 },
        { label: 'Gecko', value: 10 },
      ],
    },
  },
  { type: 'data_visualization', title: 'Latency', chart: { type: 'line', ...axes, series: both } },
  { type: 'data_visualization', title: 'Memory', chart: { type: 'area', ...axes, series: both } },
];

const element = (type: string, more: Json = {}): Json => ({ type, action_id: `sample_${type}`, ...more });
const inActions = (one: Json): Json => ({ type: 'actions', elements: [one] });
const inInput = (one: Json): Json => ({
  type: 'input',
  label: plain(`The ${(one['type'] as string).replaceAll('_', ' ')}`),
  element: one,
});
const options = { options: [option('1'), option('2')] };

/** A block with an element of each type that no block above has. */
export const SAMPLE_ELEMENTS: Readonly<Record<string, Json>> = {
  workflow_button: inActions(
    element('workflow_button', { text: plain('Run it'), workflow: { trigger: { url: 'https://example.com/run' } } }),
  ),
  checkboxes: inActions(element('checkboxes', options)),
  radio_buttons: inActions(element('radio_buttons', options)),
  overflow: inActions(element('overflow', options)),
  ...Object.fromEntries(
    ['static', 'external', 'users', 'channels', 'conversations'].flatMap((kind) =>
      [`${kind}_select`, `multi_${kind}_select`].map((type) => [
        type,
        inActions(
          element(type, { placeholder: plain(`Choose: ${type}`), ...(kind === 'static' ? options : undefined) }),
        ),
      ]),
    ),
  ),
  datepicker: inActions(element('datepicker', { initial_date: '2026-01-31' })),
  timepicker: inActions(element('timepicker', { initial_time: '13:30' })),
  datetimepicker: inActions(element('datetimepicker', { initial_date_time: 1_767_225_600 })),
  email_text_input: inInput(element('email_text_input')),
  url_text_input: inInput(element('url_text_input')),
  number_input: inInput(element('number_input', { is_decimal_allowed: false })),
  file_input: inInput(element('file_input')),
  rich_text_input: inInput(element('rich_text_input')),
};
