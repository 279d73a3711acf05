/** Values that the search accepts after a colon: docs/reference/chat.md#search */
export interface Searchable {
  readonly channels: readonly string[];
  readonly people: readonly string[];
}

export interface Proposal {
  /** The word that replaces the one being typed. */
  readonly insert: string;
  readonly note: string;
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

/** Completions of the last word of a query. */
export function proposalsFor(query: string, { channels, people }: Searchable): Proposal[] {
  const word = (/\S*$/.exec(query)?.[0] ?? '').toLowerCase().replace(/^-/, '');
  const [, operator, typed = ''] = /^([a-z]+:)(.*)$/.exec(word) ?? [];
  const handles = people.map((name) => `@${name}`);
  switch (operator) {
    case 'in:':
      return fitting('in:', [...channels.map((name) => `#${name}`), ...handles], typed).slice(0, MAX_SUGGESTIONS);
    case 'from:':
      return fitting('from:', ['me', ...handles], typed).slice(0, MAX_SUGGESTIONS);
    case 'has:':
      return fitting('has:', ['link', 'reaction', ':tada:', ':eyes:', ':white_check_mark:'], typed);
    case 'is:':
      return fitting('is:', ['thread'], typed);
    case 'before:':
    case 'after:':
    case 'on:':
    case 'during:':
      return fitting(operator, ['today', 'yesterday'], typed);
    default:
      return OPERATORS.filter(([name]) => word !== '' && name.startsWith(word)).map(([insert, note]) => ({
        insert,
        note,
      }));
  }
}

/** The query with its last word completed. */
export const completed = (query: string, { insert }: Proposal): string =>
  query.replace(/(-?)\S*$/, (_word, minus: string) => minus + insert);
