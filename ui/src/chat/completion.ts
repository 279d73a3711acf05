import type { Command, SidebarConversation, User } from '../api/wire.js';
import { displayName } from '../api/directory.js';
import { searchEmoji, type EmojiSet } from '../text/emoji.js';

export interface Choice {
  readonly key: string;
  /** The text that replaces what was typed. */
  readonly insert: string;
  readonly words: string;
  readonly note: string;
  readonly kind: 'user' | 'channel' | 'emoji' | 'command';
  readonly character?: string;
}

export interface Completing {
  readonly start: number;
  readonly trigger: '@' | '#' | ':' | '/';
  readonly typed: string;
}

const MAX_SUGGESTIONS = 8;
const BEFORE = /(^|[\s([{*_~"'>])([@#:])([\p{L}\p{N}._+-]*)$/u;

/** The word before the cursor, if it can be completed. */
export function completingAt(text: string, cursor: number): Completing | null {
  const before = text.slice(0, cursor);
  if (/^\/[a-z0-9_-]*$/.test(before)) return { start: 0, trigger: '/', typed: before.slice(1) };
  const match = BEFORE.exec(before);
  if (!match) return null;
  const [, , trigger, typed = ''] = match;
  if (trigger === ':' && (typed.length < 2 || /^\d+$/.test(typed))) return null;
  return { start: cursor - typed.length - 1, trigger: trigger as '@', typed: typed.toLowerCase() };
}

interface Known {
  readonly users: ReadonlyMap<string, User>;
  readonly members: ReadonlySet<string>;
  readonly channels: readonly SidebarConversation[];
  readonly commands: readonly Command[];
  readonly emoji: EmojiSet | null;
}

const fits = (words: readonly (string | undefined)[], typed: string): number => {
  let best = 0;
  for (const word of words) {
    const text = word?.toLowerCase() ?? '';
    if (text.startsWith(typed)) best = Math.max(best, 2);
    else if (text.split(/[\s._-]/).some((part) => part.startsWith(typed))) best = Math.max(best, 1);
  }
  return best;
};

/** At most eight, members of the conversation first. */
export function choicesFor({ trigger, typed }: Completing, known: Known): Choice[] {
  if (trigger === '/') {
    return known.commands
      .filter(({ command }) => command.startsWith(`/${typed}`))
      .slice(0, MAX_SUGGESTIONS)
      .map(({ id, command, description, usage_hint }) => ({
        key: id,
        insert: `${command} `,
        words: `${command} ${usage_hint}`.trim(),
        note: description,
        kind: 'command',
      }));
  }
  if (trigger === ':') {
    if (!known.emoji) return [];
    return searchEmoji(known.emoji, typed, MAX_SUGGESTIONS).map((emoji) => ({
      key: emoji.name,
      insert: `:${emoji.name}: `,
      words: `:${emoji.name}:`,
      note: '',
      kind: 'emoji',
      character: emoji.character,
    }));
  }
  if (trigger === '#') {
    return known.channels
      .filter((channel) => channel.is_channel && fits([channel.name], typed) > 0)
      .slice(0, MAX_SUGGESTIONS)
      .map(({ id, name = '', topic }) => ({
        key: id,
        insert: `#${name} `,
        words: `#${name}`,
        note: topic?.value ?? '',
        kind: 'channel',
      }));
  }
  const people = [...known.users.values()]
    .filter((user) => !user.deleted)
    .map((user) => ({
      user,
      rank:
        fits([user.name, displayName(user), user.profile.real_name], typed) * 2 + (known.members.has(user.id) ? 1 : 0),
      fit: fits([user.name, displayName(user), user.profile.real_name], typed),
    }))
    .filter(({ fit }) => fit > 0)
    .sort((a, b) => b.rank - a.rank || a.user.name.localeCompare(b.user.name))
    .map(({ user }): Choice => ({
      key: user.id,
      insert: `@${user.name} `,
      words: displayName(user) ?? user.name,
      note: `@${user.name}${user.is_bot ? ' · app' : ''}`,
      kind: 'user',
    }));
  const ranges = ['here', 'channel', 'everyone']
    .filter((range) => range.startsWith(typed))
    .map((range): Choice => ({
      key: range,
      insert: `@${range} `,
      words: `@${range}`,
      note: 'everybody in this conversation',
      kind: 'user',
    }));
  return [...people, ...ranges].slice(0, MAX_SUGGESTIONS);
}
