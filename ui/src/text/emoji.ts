import { Store } from '../kit/store.js';
import { writeLocal, readLocal } from '../kit/local-storage.js';

export interface Emoji {
  readonly character: string;
  readonly name: string;
  readonly names: readonly string[];
  readonly hasTones: boolean;
}

export interface EmojiCategory {
  readonly name: string;
  readonly emoji: readonly Emoji[];
}

export interface EmojiSet {
  readonly categories: readonly EmojiCategory[];
  readonly byName: ReadonlyMap<string, Emoji>;
}

/** All emoji; null until they are loaded, which is after the first paint. */
export const emojiSet = new Store<EmojiSet | null>(null);

let loading: Promise<void> | undefined;

export const loadEmoji = (): Promise<void> =>
  (loading ??= import('./emoji.json').then(({ default: list }) => {
    const byName = new Map<string, Emoji>();
    const categories = (list as [string, [string, string, number?][]][]).map(([name, entries]) => ({
      name,
      emoji: entries.map(([character, joined, tones]) => {
        const names = joined.split(' ');
        const emoji = { character, name: names[0] as string, names, hasTones: tones === 1 };
        for (const each of names) byName.set(each, emoji);
        return emoji;
      }),
    }));
    emojiSet.set({ categories: categories.filter(({ name }) => name !== 'Component'), byName });
  }));

const TONES = ['', '', '\u{1F3FB}', '\u{1F3FC}', '\u{1F3FD}', '\u{1F3FE}', '\u{1F3FF}'];

/** The character of a name, `wave` or `wave::skin-tone-3`; null for an unknown one. */
export function characterOf(set: EmojiSet | null, name: string): string | null {
  const [plain = '', tone] = name.split('::skin-tone-');
  const emoji = set?.byName.get(plain);
  if (!emoji) return null;
  if (tone === undefined || !emoji.hasTones) return emoji.character;
  const [first = '', ...rest] = [...emoji.character];
  return first + (TONES[Number(tone)] ?? '') + rest.filter((part) => part !== '\uFE0F').join('');
}

/** Emoji whose names match what was typed, those that begin with it first. */
export function searchEmoji(set: EmojiSet, query: string, most: number): Emoji[] {
  const wanted = query.toLowerCase().replaceAll(' ', '_');
  const begins: Emoji[] = [];
  const holds: Emoji[] = [];
  for (const category of set.categories) {
    for (const emoji of category.emoji) {
      if (emoji.names.some((name) => name.startsWith(wanted))) begins.push(emoji);
      else if (emoji.names.some((name) => name.includes(wanted))) holds.push(emoji);
    }
    if (begins.length >= most) break;
  }
  return [...begins, ...holds].slice(0, most);
}

const MAX_RECENT = 18;

export const recentEmoji = (): string[] =>
  readLocal<string[]>('emoji', ['+1', 'heart', 'joy', 'tada', 'eyes', 'white_check_mark', 'rocket', 'raised_hands']);

export const rememberEmoji = (name: string): void =>
  writeLocal('emoji', [name, ...recentEmoji().filter((other) => other !== name)].slice(0, MAX_RECENT));

export const skinTone = (): number => readLocal<number>('tone', 1);
export const setSkinTone = (tone: number): void => writeLocal('tone', tone);
