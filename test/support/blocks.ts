import type { TestApp } from './app.js';
import type { ChatClient } from './chat-client.js';

export type Json = Record<string, unknown>;
export type Wrap = (value: unknown) => Json;

export const x = (length: number) => 'x'.repeat(length);
export const times = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => item(i));
export const plain = (text: unknown) => ({ type: 'plain_text', text });
export const mrkdwn = (text: unknown) => ({ type: 'mrkdwn', text });
export const option = (value: unknown, more: Json = {}) => ({ text: plain('o'), value, ...more });
export const options = times(1, (i) => option(`v${i}`));
export const rich = (...elements: unknown[]) => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: elements.length > 0 ? elements : [{ type: 'text', text: 'x' }] }],
});
export const cell = (text: unknown = 'x') => ({ type: 'raw_text', text });
export const url = 'https://a.example/a';
export const picture = { type: 'image', alt_text: 'a', image_url: url };
export const button = { type: 'button', text: plain('Go') };
export const feedback = { text: plain('Good'), value: '+' };
export const pie = (segments: unknown) => ({ type: 'pie', segments });
export const bars = (axis: Json, series: unknown, type = 'bar') => ({
  type,
  axis_config: { categories: ['a'], ...axis },
  series,
});
export const chartOf = (chart: unknown) => ({ type: 'data_visualization', title: 'a', chart });
export const data = [{ label: 'a', value: 1 }];
export const card = { type: 'card', title: mrkdwn('a') };
export const task = { task_id: '1', title: 'a', status: 'pending' };

/** The least that each element needs. */
export const ELEMENTS: Record<string, Json> = {
  image: picture,
  button,
  workflow_button: { text: plain('Go'), workflow: { trigger: { url } } },
  feedback_buttons: { positive_button: feedback, negative_button: feedback },
  icon_button: { icon: 'trash', text: plain('Delete') },
  checkboxes: { options },
  radio_buttons: { options },
  overflow: { options },
  static_select: { options },
  multi_static_select: { options },
  external_select: {},
  multi_external_select: {},
  users_select: {},
  multi_users_select: {},
  channels_select: {},
  multi_channels_select: {},
  conversations_select: {},
  multi_conversations_select: {},
  datepicker: {},
  timepicker: {},
  datetimepicker: {},
  plain_text_input: {},
  email_text_input: {},
  url_text_input: {},
  number_input: { is_decimal_allowed: false },
  file_input: {},
  rich_text_input: {},
};
for (const [type, fields] of Object.entries(ELEMENTS)) fields['type'] = type;

export const inActions = (element: Json): Json => ({ type: 'actions', elements: [element] });
export const inInput = (element: Json): Json => ({ type: 'input', label: plain('a'), element });
export const inContextActions = (element: Json): Json => ({ type: 'context_actions', elements: [element] });
/** An element of a type with one more field, in a block that takes it; and where it is there. */
export const elementWith = (type: string, field: string): [Wrap, string] => {
  const isInput = ['plain_text_input', 'email_text_input', 'url_text_input', 'number_input', 'file_input'].includes(
    type,
  );
  const isContext = type === 'feedback_buttons' || type === 'icon_button';
  const host = isInput ? inInput : isContext ? inContextActions : inActions;
  return [(value) => host({ ...ELEMENTS[type], [field]: value }), `${isInput ? '/element' : '/elements/0'}/${field}`];
};
export const richList =
  (field: string): Wrap =>
  (value) => ({
    type: 'rich_text',
    elements: [{ type: 'rich_text_list', style: 'bullet', elements: [], [field]: value }],
  });

/** The least that each block needs, and what of it must be there. */
export const BLOCKS: Record<string, [Json, required: string[]]> = {
  section: [{ text: mrkdwn('a') }, ['text']],
  header: [{ text: plain('a') }, ['text']],
  divider: [{}, []],
  image: [picture, ['alt_text', 'image_url']],
  context: [{ elements: [mrkdwn('a')] }, ['elements']],
  context_actions: [{ elements: [ELEMENTS['icon_button']] }, ['elements']],
  actions: [{ elements: [button] }, ['elements']],
  input: [{ label: plain('a'), element: ELEMENTS['datepicker'] }, ['label', 'element']],
  markdown: [{ text: 'a' }, ['text']],
  rich_text: [{ elements: [] }, ['elements']],
  table: [{ rows: [[cell()]] }, ['rows']],
  data_table: [{ rows: [[cell()], [cell()]], caption: 'a' }, ['rows', 'caption']],
  data_visualization: [{ title: 'a', chart: pie([{ label: 'a', value: 1 }]) }, ['title', 'chart']],
  card: [{ title: mrkdwn('a') }, []],
  carousel: [{ elements: [card] }, ['elements']],
  container: [{ title: plain('a'), child_blocks: [{ type: 'divider' }] }, ['title', 'child_blocks']],
  task_card: [task, ['task_id', 'title', 'status']],
  plan: [{ title: 'a' }, ['title']],
  video: [
    { video_url: url, thumbnail_url: url, alt_text: 'a', title: plain('a') },
    ['video_url', 'thumbnail_url', 'alt_text', 'title'],
  ],
  file: [{ source: 'remote', external_id: 'a' }, ['source', 'external_id']],
};
for (const [type, [fields]] of Object.entries(BLOCKS)) fields['type'] = type;

/** Asks `blocks.validate`. */
export function blockChecks(app: TestApp) {
  const bots: ChatClient[] = [];
  let calls = 0;
  /** One call may be made a hundred times a minute by an app. */
  const validate = async (args: Json): Promise<Json[]> => {
    if (calls++ % 80 === 0) bots.push(await (await app.workspace()).bot());
    const { ok, error, errors } = await (bots.at(-1) as ChatClient).call('blocks.validate', args);
    if (ok !== true && errors === undefined) throw new Error(error);
    return errors ?? [];
  };

  /** Every fault of some blocks that stand in one message or modal. */
  const faults = (...blocks: unknown[]): Promise<Json[]> => validate({ blocks });
  const pointers = async (...blocks: unknown[]): Promise<unknown[]> =>
    (await faults(...blocks)).map(({ pointer }) => pointer);
  const inModal = (...blocks: unknown[]): Promise<Json[]> =>
    validate({ view: { type: 'modal', title: plain('a'), submit: plain('b'), blocks } });

  return { faults, pointers, inModal };
}
