import { searchEmoji, type EmojiSet } from './emoji.js';

/** Values that the search accepts after a colon: docs/reference/chat.md#search */
export interface Searchable {
  readonly channels: readonly string[];
  readonly people: readonly string[];
  /** Null until it is loaded. */
  readonly emoji: EmojiSet | null;
}

export interface Proposal {
  /** The word that replaces the one being typed. */
  readonly insert: string;
  readonly note: string;
  /** The emoji itself, where one is proposed. */
  readonly character?: string;
}

const MAX_SUGGESTIONS = 8;

const OPERATORS: readonly (readonly [string, string])[] = [
  ['in:', 'a channel or person'],
  ['from:', 'who wrote it'],
  ['has:', 'a link, a reaction'],
  ['before:', 'a day'],
  ['after:', 'a day'],
  ['on:', 'a day'],
  ['is:', 'in a thread'],
];

const fitting = (prefix: string, values: readonly string[], typed: string): Proposal[] =>
  values
    .filter((value) => value.toLowerCase().replace(/^[#@]/, '').startsWith(typed.replace(/^[#@]/, '')))
    .map((value) => ({ insert: `${prefix}${value} `, note: '' }));

/** Emoji by the beginning of a name, once two letters of it are typed: `:ro` proposes `:rocket:`. */
function fittingEmoji(prefix: string, set: EmojiSet | null, typed: string): Proposal[] {
  const name = /^:([a-z0-9_+'-]{2,})$/.exec(typed)?.[1];
  if (set === null || name === undefined) return [];
  return searchEmoji(set, name, MAX_SUGGESTIONS).map((emoji) => ({
    insert: `${prefix}:${emoji.name}: `,
    note: '',
    character: emoji.character,
  }));
}

/** Completions of the last word of a query. */
export function proposalsFor(query: string, { channels, people, emoji }: Searchable): Proposal[] {
  const word = (/\S*$/.exec(query)?.[0] ?? '').toLowerCase().replace(/^-/, '');
  const [, operator, typed = ''] = /^([a-z]+:)(.*)$/.exec(word) ?? [];
  const handles = people.map((name) => `@${name}`);
  switch (operator) {
    case 'in:':
      return fitting('in:', [...channels.map((name) => `#${name}`), ...handles], typed).slice(0, MAX_SUGGESTIONS);
    case 'from:':
      return fitting('from:', ['me', ...handles], typed).slice(0, MAX_SUGGESTIONS);
    case 'has:':
      return [
        ...fitting('has:', ['link', 'reaction', ':tada:', ':eyes:', ':white_check_mark:'], typed),
        ...fittingEmoji('has:', emoji, typed),
      ].filter(({ insert }, at, all) => all.findIndex((other) => other.insert === insert) === at);
    case 'is:':
      return fitting('is:', ['thread'], typed);
    case 'before:':
    case 'after:':
    case 'on:':
    case 'during:':
      return fitting(operator, ['today', 'yesterday'], typed);
    default:
      if (word.startsWith(':')) return fittingEmoji('', emoji, word);
      return OPERATORS.filter(([name]) => word !== '' && name.startsWith(word)).map(([insert, note]) => ({
        insert,
        note,
      }));
  }
}

/** The query with its last word completed. */
export const completed = (query: string, { insert }: Proposal): string =>
  query.replace(/(-?)\S*$/, (_word, minus: string) => minus + insert);
