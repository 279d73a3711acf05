import {
  anyText,
  confirm,
  dispatchConfig,
  image,
  initialIsOption,
  OPTION,
  optionGroup,
  plain,
  richText,
} from './objects.js';
import {
  type Condition,
  fields,
  fits,
  flag,
  isPresent,
  list,
  oneOf,
  required,
  type Rule,
  str,
  typed,
  uniqueIn,
  whole,
  word,
} from './rule.js';

/* Elements of Block Kit by their types (docs/reference/blocks.md). */

const oneFocus: Condition = ({ focus_on_load: focus }, at, walk) => {
  if (focus !== true) return;
  if (walk.hasFocus) walk.fault('only one element may have focus_on_load', `${at}/focus_on_load`);
  walk.hasFocus = true;
};

/** An element that people act on. */
const acting = (rules: Readonly<Record<string, Rule>>, ...conditions: readonly Condition[]): Rule =>
  fields(
    {
      action_id: str(255, 0),
      ...rules,
      confirm,
      placeholder: plain(150),
      focus_on_load: flag,
      dispatch_action_config: dispatchConfig,
    },
    uniqueIn('action_id', (walk) => walk.actionIds),
    oneFocus,
    ...conditions,
  );

const feedbackButton = fields({
  text: required(plain(75)),
  value: required(str(2_000, 0)),
  accessibility_label: str(75),
});

const pressed = { text: required(plain(75)), value: str(2_000, 0), accessibility_label: str(75) };
const button = { ...pressed, url: str(3_000, 0), style: word('primary', 'danger') };
const options = { options: list(OPTION.plain, 1, 100), option_groups: list(optionGroup, 1, 100) };
const many = { max_selected_items: whole(1) };
const filter = fields(
  {
    include: list(word('im', 'mpim', 'private', 'public'), 1),
    exclude_external_shared_channels: flag,
    exclude_bot_users: flag,
  },
  (object, at, walk) => {
    if (Object.keys(object).length === 0) walk.fault('must not be empty', at);
  },
);
const id = str();
const ids = list(id);

const isDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const TEN_DIGITS = { min: 1_000_000_000, max: 9_999_999_999 };
const figure: Rule = fits((text) => text.trim() !== '' && Number.isFinite(Number(text)), 'a number as a string');

const minIsLess: Condition = ({ min_value: min, max_value: max }, at, walk) => {
  if (isPresent(min) && isPresent(max) && Number(min) > Number(max)) {
    walk.fault('must not be greater than max_value', `${at}/min_value`);
  }
};

export const ELEMENTS: Readonly<Record<string, Rule>> = {
  image,
  button: acting(button),
  workflow_button: acting({
    ...button,
    workflow: required(fields({ trigger: required(fields({ url: required(str()) })) })),
  }),
  feedback_buttons: acting({
    positive_button: required(feedbackButton),
    negative_button: required(feedbackButton),
  }),
  icon_button: acting({ icon: required(word('trash')), ...pressed, visible_to_user_ids: ids }),
  checkboxes: acting(
    { options: required(list(OPTION.any, 1, 10)), initial_options: list(OPTION.any, 1) },
    initialIsOption,
  ),
  radio_buttons: acting({ options: required(list(OPTION.any, 1, 10)), initial_option: OPTION.any }, initialIsOption),
  overflow: acting({ options: required(list(OPTION.linked, 1, 5)) }),
  static_select: acting(
    { ...options, initial_option: OPTION.plain },
    oneOf('options', 'option_groups'),
    initialIsOption,
  ),
  multi_static_select: acting(
    { ...options, initial_options: list(OPTION.plain, 1), ...many },
    oneOf('options', 'option_groups'),
    initialIsOption,
  ),
  external_select: acting({ initial_option: OPTION.plain, min_query_length: whole(0) }),
  multi_external_select: acting({ initial_options: list(OPTION.plain, 1), min_query_length: whole(0), ...many }),
  users_select: acting({ initial_user: id }),
  multi_users_select: acting({ initial_users: ids, ...many }),
  channels_select: acting({ initial_channel: id, response_url_enabled: flag }),
  multi_channels_select: acting({ initial_channels: ids, ...many }),
  conversations_select: acting({
    initial_conversation: id,
    default_to_current_conversation: flag,
    response_url_enabled: flag,
    filter,
  }),
  multi_conversations_select: acting({
    initial_conversations: ids,
    default_to_current_conversation: flag,
    filter,
    ...many,
  }),
  datepicker: acting({ initial_date: fits(isDay, 'a date such as 2026-01-31') }),
  timepicker: acting({ initial_time: fits(TIME, 'a time such as 13:30'), timezone: str() }),
  datetimepicker: acting({ initial_date_time: whole(TEN_DIGITS.min, TEN_DIGITS.max) }),
  plain_text_input: acting({
    initial_value: str(Infinity, 0),
    multiline: flag,
    min_length: whole(0, 3_000),
    max_length: whole(1, 3_000),
  }),
  email_text_input: acting({ initial_value: str(Infinity, 0) }),
  url_text_input: acting({ initial_value: str(Infinity, 0) }),
  number_input: acting(
    { is_decimal_allowed: required(flag), initial_value: str(Infinity, 0), min_value: figure, max_value: figure },
    minIsLess,
  ),
  file_input: acting({ filetypes: ids, max_files: whole(1, 10) }),
  rich_text_input: acting({ initial_value: typed(() => ({ rich_text: richText })) }),
  url: fields({ url: required(str()), text: required(str()) }),
  plain_text: anyText(3_000),
  mrkdwn: anyText(3_000),
};

const selects = (...kinds: readonly string[]): string[] =>
  kinds.flatMap((kind) => [`${kind}_select`, `multi_${kind}_select`]);
const CHOICES = [
  'checkboxes',
  'datepicker',
  'radio_buttons',
  'timepicker',
  ...selects('static', 'external', 'users', 'channels', 'conversations'),
];

/** The elements that each block takes. */
export const TAKES = {
  section: ['button', 'image', 'overflow', 'workflow_button', ...CHOICES],
  actions: ['button', 'datetimepicker', 'overflow', 'rich_text_input', 'workflow_button', ...CHOICES],
  input: [
    'datetimepicker',
    'email_text_input',
    'file_input',
    'number_input',
    'plain_text_input',
    'rich_text_input',
    'url_text_input',
    ...CHOICES,
  ],
  context: ['image', 'plain_text', 'mrkdwn'],
  context_actions: ['feedback_buttons', 'icon_button'],
} as const;

/** An element that may stand here. */
export const element = (allowed: readonly string[]): Rule => typed(() => ELEMENTS, allowed);
