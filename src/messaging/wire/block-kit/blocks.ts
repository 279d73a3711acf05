import { isJsonObject } from '../text.js';
import { chart } from './charts.js';
import { element, ELEMENTS, TAKES } from './elements.js';
import { anyText, CELLS, httpsUrl, image, plain, richText, textsOf } from './objects.js';
import {
  type Condition,
  fields,
  flag,
  isPresent,
  list,
  required,
  type Rule,
  someOf,
  str,
  typed,
  typedOr,
  uniqueIn,
  whole,
  word,
} from './rule.js';

/* Blocks by their types: one table of all that may be sent (docs/reference/blocks.md). */

const MAX_MARKDOWN = 12_000;
const MAX_CELL_TEXTS = 10_000;
const MAX_CHARTS = 2;

/** All markdown of a message counts together. */
const markdownOfAll: Condition = ({ text }, at, walk) => {
  if (typeof text !== 'string') return;
  walk.markdown += [...text].length;
  if (walk.markdown <= MAX_MARKDOWN || [...text].length > MAX_MARKDOWN) return;
  const constraint = { type: 'max_length', expected: String(MAX_MARKDOWN), got: String(walk.markdown) } as const;
  walk.fault(`must be less than ${MAX_MARKDOWN + 1} characters`, `${at}/text`, constraint);
};

const cellTexts: Condition = ({ rows }, at, walk) => {
  const length = textsOf(rows).reduce((sum, text) => sum + [...text].length, 0);
  if (length <= MAX_CELL_TEXTS) return;
  const constraint = { type: 'max_length', expected: String(MAX_CELL_TEXTS), got: String(length) } as const;
  walk.fault(`must be less than ${MAX_CELL_TEXTS + 1} characters`, `${at}/rows`, constraint);
};

const rowsOf = ({ rows }: Record<string, unknown>): unknown[][] =>
  Array.isArray(rows) ? rows.filter((row): row is unknown[] => Array.isArray(row)) : [];

const equalRows: Condition = (block, at, walk) => {
  const rows = rowsOf(block);
  const columns = rows[0]?.length ?? 0;
  for (const [index, row] of rows.entries()) {
    if (row.length !== columns) walk.fault('must be as long as the first row', `${at}/rows/${index}`);
  }
  for (const [index, cell] of (rows[0] ?? []).entries()) {
    if (isJsonObject(cell) && cell['type'] === 'rich_text') {
      walk.fault('unsupported type: rich_text', `${at}/rows/0/${index}/type`);
    }
  }
  const header = block['row_header_column_index'];
  if (isPresent(header)) whole(0, Math.max(0, columns - 1))(header, `${at}/row_header_column_index`, walk);
};

const row = list(
  typed(() => CELLS),
  1,
  20,
);

const TASK_STATUS = word('pending', 'in_progress', 'complete', 'error');
const details = typed(() => ({ rich_text: richText }));
const picture = element(['image']);

const FIELDS: Readonly<Record<string, Rule>> = {
  section: fields(
    {
      text: anyText(3_000),
      fields: list(anyText(2_000), 1, 10),
      accessory: element(TAKES.section),
      expand: flag,
    },
    someOf('text', 'fields'),
  ),
  header: fields({ text: required(plain(150)) }),
  divider: fields({}),
  image,
  context: fields({ elements: required(list(element(TAKES.context), 1, 10)) }),
  context_actions: fields({ elements: required(list(element(TAKES.context_actions), 1, 5)) }),
  actions: fields({ elements: required(list(element(TAKES.actions), 1, 25)) }),
  input: fields({
    label: required(plain(2_000)),
    element: required(element(TAKES.input)),
    hint: plain(2_000),
    optional: flag,
    dispatch_action: flag,
  }),
  markdown: fields({ text: required(str(MAX_MARKDOWN)) }, markdownOfAll),
  rich_text: richText,
  table: fields(
    {
      rows: required(list(row, 1, 100)),
      column_settings: list(fields({ align: word('left', 'center', 'right'), is_wrapped: flag }), 0, 20),
    },
    cellTexts,
  ),
  data_table: fields(
    { rows: required(list(row, 2, 101)), caption: required(str()), page_size: whole(1, 100) },
    equalRows,
    cellTexts,
  ),
  data_visualization: fields({ title: required(str(50)), chart: required(chart) }, (_block, at, walk) => {
    walk.charts += 1;
    if (walk.charts > MAX_CHARTS) walk.fault(`no more than ${MAX_CHARTS} data_visualization blocks allowed`, at);
  }),
  alert: fields(
    { text: required(anyText(200)), level: word('default', 'info', 'warning', 'error', 'success') },
    (_block, at, walk) => {
      if (walk.surface !== 'modal') walk.fault('unsupported type: alert', `${at}/type`);
    },
  ),
  card: fields(
    {
      icon: picture,
      title: anyText(150),
      subtitle: anyText(150),
      hero_image: picture,
      body: anyText(200),
      subtext: anyText(200),
      actions: list(element(['button']), 1, 3),
    },
    someOf('hero_image', 'title', 'actions', 'body'),
  ),
  carousel: fields({ elements: required(list(block(['card']), 1, 10)) }),
  container: fields(
    {
      title: plain(150),
      rich_text_title: typed(() => ({ rich_text: richText })),
      subtitle: anyText(150),
      icon: picture,
      width: word('narrow', 'standard', 'wide', 'full'),
      is_collapsible: flag,
      default_collapsed: flag,
      has_header_divider: flag,
      child_blocks: required(
        list(
          block([
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
          ]),
          1,
          10,
        ),
      ),
    },
    someOf('title', 'rich_text_title'),
    (container, at, walk) => {
      if (container['default_collapsed'] === true && container['is_collapsible'] !== true) {
        walk.fault('needs is_collapsible', `${at}/default_collapsed`);
      }
    },
  ),
  task_card: fields({
    task_id: required(str()),
    title: required(str(256)),
    status: required(TASK_STATUS),
    details,
    output: details,
    sources: list(typed(() => ELEMENTS, ['url'])),
  }),
  plan: fields({
    title: required(str(256, 0)),
    tasks: list(
      typedOr('task_card', () => BLOCKS),
      0,
      50,
    ),
  }),
  video: fields({
    video_url: required(httpsUrl),
    thumbnail_url: required(str()),
    alt_text: required(str(Infinity, 0)),
    title: required(plain(200)),
    title_url: httpsUrl,
    author_name: str(50, 0),
    provider_name: str(Infinity, 0),
    provider_icon_url: str(Infinity, 0),
    description: plain(200),
  }),
  file: fields({ source: required(word('remote')), external_id: required(str()) }),
};

const BLOCK_ID = fields(
  { block_id: str(255) },
  uniqueIn('block_id', (walk) => walk.blockIds),
);

/** The same, each with what all blocks have. */
export const BLOCKS: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries(FIELDS).map(([type, rule]) => [
    type,
    (value, at, walk) => {
      const sent = value as Record<string, unknown>;
      if (sent['block_id'] === null || sent['block_id'] === '') delete sent['block_id'];
      BLOCK_ID(value, at, walk);
      walk.actionIds = new Set();
      rule(value, at, walk);
    },
  ]),
);

/** A block of any type, or of one of these. */
export function block(allowed?: readonly string[]): Rule {
  return typed(() => BLOCKS, allowed);
}

/** The blocks inside a block, at their places. */
export const childrenOf = (parent: Record<string, unknown>): Record<string, unknown>[] => {
  const children =
    parent['type'] === 'container' ? parent['child_blocks'] : parent['type'] === 'plan' ? parent['tasks'] : undefined;
  const all = parent['type'] === 'carousel' ? parent['elements'] : children;
  return Array.isArray(all) ? all.filter(isJsonObject) : [];
};

/** The elements of a block that somebody may act on, without those of the blocks inside it. */
export function actingElements(parent: Record<string, unknown>): Record<string, unknown>[] {
  const objects = (value: unknown): Record<string, unknown>[] =>
    Array.isArray(value) ? value.filter(isJsonObject) : [];
  switch (parent['type']) {
    case 'actions':
    case 'context_actions':
      return objects(parent['elements']);
    case 'card':
      return objects(parent['actions']);
    case 'input':
      return objects([parent['element']]);
    case 'section':
      return objects([parent['accessory']]).filter(({ type }) => type !== 'image');
    default:
      return [];
  }
}

/** A block and all blocks inside it. */
export const withChildren = (parent: Record<string, unknown>): Record<string, unknown>[] => [
  parent,
  ...childrenOf(parent).flatMap(withChildren),
];
