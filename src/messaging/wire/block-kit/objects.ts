import { isJsonObject } from '../text.js';
import {
  type Condition,
  fields,
  fits,
  isPresent,
  list,
  number,
  oneOf,
  required,
  type Rule,
  str,
  typed,
  flag,
  whole,
  word,
} from './rule.js';

/* Composition objects of Block Kit, and rich text (docs/reference/blocks.md). */

type Json = Record<string, unknown>;

const textRule = (max: number): Readonly<Record<string, Rule>> => ({
  plain_text: fields({ text: required(str(max)), emoji: flag }),
  mrkdwn: fields({ text: required(str(max)), verbatim: flag }),
});

/** A text object of either type. */
export function anyText(max: number): Rule {
  const table = textRule(max);
  return typed(() => table);
}

export function plain(max: number): Rule {
  const table = textRule(max);
  return typed(() => table, ['plain_text']);
}

export const httpsUrl = fits(/^https:\/\/\S+$/i, 'an https URL');

/** An image, as a block and as an element. */
export const image: Rule = fields(
  {
    alt_text: required(str(2_000, 0)),
    image_url: str(3_000),
    slack_file: fields({ id: str(), url: str(3_000) }, oneOf('id', 'url')),
    title: plain(2_000),
  },
  oneOf('image_url', 'slack_file'),
);

const option = (text: Rule, url?: Rule): Rule =>
  fields({ text: required(text), value: required(str(150, 0)), description: anyText(75), ...(url && { url }) });

/** Of selects; of checkboxes and radio buttons; of overflow menus. */
export const OPTION = { plain: option(plain(75)), any: option(anyText(75)), linked: option(plain(75), str(3_000)) };

export const optionGroup: Rule = fields({
  label: required(plain(75)),
  options: required(list(OPTION.plain, 1, 100)),
});

export const confirm: Rule = fields({
  title: plain(100),
  text: required(anyText(300)),
  confirm: plain(30),
  deny: plain(30),
  style: word('primary', 'danger'),
});

export const dispatchConfig: Rule = fields({
  trigger_actions_on: list(word('on_enter_pressed', 'on_character_entered')),
});

/** What a select was given as chosen is among its options. */
export const initialIsOption: Condition = (element, at, walk) => {
  const groups = Array.isArray(element['option_groups']) ? element['option_groups'].filter(isJsonObject) : [];
  const options = [element, ...groups].flatMap(({ options: all }) => (Array.isArray(all) ? all : []));
  const values = new Set(options.filter(isJsonObject).map(({ value }) => value));
  const isOne = (chosen: unknown): boolean => isJsonObject(chosen) && values.has(chosen['value']);
  const { initial_option: one, initial_options: several } = element;
  if (isPresent(one) && !isOne(one)) walk.fault('must be one of the options', `${at}/initial_option`);
  if (!Array.isArray(several)) return;
  for (const [index, chosen] of several.entries()) {
    if (!isOne(chosen)) walk.fault('must be one of the options', `${at}/initial_options/${index}`);
  }
};

const anyFlags: Rule = (value, at, walk) => {
  if (!isJsonObject(value)) return walk.fault('must be an object', at);
  for (const [name, one] of Object.entries(value)) flag(one, `${at}/${name}`, walk);
};
const styled = (rules: Readonly<Record<string, Rule>>): Rule => fields({ ...rules, style: anyFlags });

/** What stands in a line of rich text. */
const INLINE: Readonly<Record<string, Rule>> = {
  text: styled({ text: required(str(Infinity, 0)) }),
  link: styled({ url: required(str()), text: str(Infinity, 0) }),
  emoji: styled({ name: required(str()) }),
  user: styled({ user_id: required(str()) }),
  usergroup: styled({ usergroup_id: required(str()) }),
  channel: styled({ channel_id: required(str()) }),
  team: styled({ team_id: required(str()) }),
  broadcast: styled({ range: required(word('here', 'channel', 'everyone')) }),
  date: styled({
    timestamp: required(whole(Number.MIN_SAFE_INTEGER)),
    format: required(str()),
    url: str(),
    fallback: str(Infinity, 0),
  }),
  color: styled({ value: required(fits(/^#[0-9a-f]{6}$/i, 'a color such as #1264a3')) }),
};
const inline = list(typed(() => INLINE));
const border = whole(0, 1);

const RICH: Readonly<Record<string, Rule>> = {
  rich_text_section: fields({ elements: required(inline) }),
  rich_text_preformatted: fields({ elements: required(list(typed(() => INLINE, ['text', 'link']))), border }),
  rich_text_quote: fields({ elements: required(inline), border }),
  rich_text_list: fields({
    elements: required(list(typed(() => RICH, ['rich_text_section']))),
    style: required(word('bullet', 'ordered')),
    indent: whole(0, 8),
    offset: whole(0),
    border,
  }),
};

/** The fields of a `rich_text` block. */
export const richText: Rule = fields({ elements: required(list(typed(() => RICH))) });

/** Cells of tables. */
export const CELLS: Readonly<Record<string, Rule>> = {
  raw_text: fields({ text: required(str()) }),
  raw_number: fields({ text: required(str()), value: required(number) }),
  rich_text: richText,
};

/** Every text below a cell. */
export function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  if (!isJsonObject(value)) return [];
  const own = (value as Json)['text'];
  return [...(typeof own === 'string' ? [own] : []), ...textsOf(value['elements'])];
}
