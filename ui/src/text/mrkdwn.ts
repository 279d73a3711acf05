import { FOUND_END, FOUND_START } from './found-marks.js';

/** Slack's mrkdwn as a tree. Text that is not mark-up is kept as text, and no input is an error. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bold' | 'italic' | 'strike'; readonly children: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly url: string; readonly label: readonly Inline[] | null }
  | { readonly kind: 'user' | 'channel' | 'group'; readonly id: string; readonly label: string | null }
  | { readonly kind: 'broadcast'; readonly range: string; readonly label: string | null }
  | {
      readonly kind: 'date';
      readonly seconds: number;
      readonly format: string;
      readonly url: string | null;
      readonly fallback: string;
    }
  | { readonly kind: 'emoji'; readonly name: string }
  | { readonly kind: 'found'; readonly children: readonly Inline[] };

export type Block =
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'fence'; readonly text: string };

export const decodeEntities = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

const FENCE = /```\n?([\s\S]*?)\n?```/g;

/** Parses a whole text. */
export function parseMrkdwn(source: string): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  for (const match of source.matchAll(FENCE)) {
    if (match[1] === '' && match[0] === '``````') continue;
    pushLines(blocks, trimOne(source.slice(at, match.index), at > 0, true));
    blocks.push({ kind: 'fence', text: decodeEntities(plainAngles(match[1] ?? '')) });
    at = match.index + match[0].length;
  }
  pushLines(blocks, trimOne(source.slice(at), at > 0, false));
  return blocks;
}

/** Line breaks next to a fence belong to it. */
function trimOne(text: string, start: boolean, end: boolean): string {
  let trimmed = text;
  if (start && trimmed.startsWith('\n')) trimmed = trimmed.slice(1);
  if (end && trimmed.endsWith('\n')) trimmed = trimmed.slice(0, -1);
  return trimmed;
}

/** In code, `<url|label>` shows what a reader would see. */
const plainAngles = (text: string): string =>
  text.replace(/<(?:(?:https?|mailto):[^|>\s]+)(?:\|([^>]*))?>/g, (whole, label: string | undefined) =>
    label === undefined ? whole.slice(1, -1) : label,
  );

const QUOTE = /^(?:&gt;|>)(?!(?:&gt;|>){2})[ ]?/;
const REST_QUOTE = /^(?:(?:&gt;){3}|>>>)[ ]?/;

function pushLines(blocks: Block[], text: string): void {
  if (text === '') return;
  const lines = text.split('\n');
  let plain: string[] = [];
  let quoted: string[] = [];
  const flush = (): void => {
    if (plain.length > 0) blocks.push({ kind: 'paragraph', children: parseInline(plain.join('\n')) });
    if (quoted.length > 0) {
      blocks.push({ kind: 'quote', blocks: [{ kind: 'paragraph', children: parseInline(quoted.join('\n')) }] });
    }
    plain = [];
    quoted = [];
  };
  for (const [index, line] of lines.entries()) {
    if (REST_QUOTE.test(line)) {
      flush();
      const rest = [line.replace(REST_QUOTE, ''), ...lines.slice(index + 1)].join('\n');
      blocks.push({ kind: 'quote', blocks: [{ kind: 'paragraph', children: parseInline(rest) }] });
      return;
    }
    if (QUOTE.test(line)) {
      if (plain.length > 0) flush();
      quoted.push(line.replace(QUOTE, ''));
    } else {
      if (quoted.length > 0) flush();
      plain.push(line);
    }
  }
  flush();
}

const MARKS = { '*': 'bold', _: 'italic', '~': 'strike' } as const;
const EMOJI = /^:([a-z0-9_+'-]+(?:::skin-tone-[2-6])?):/;
const BARE_LINK = /^https?:\/\/[^\s<>|]+/;
const MAX_DEPTH = 12;

/** Parses inline mark-up of one line or several. */
export function parseInline(source: string, depth = 0): Inline[] {
  const found: Inline[] = [];
  let text = '';
  const push = (node: Inline): void => {
    if (text !== '') found.push({ kind: 'text', text: decodeEntities(text) });
    text = '';
    found.push(node);
  };
  for (let at = 0; at < source.length;) {
    const step = readAt(source, at, depth);
    if (step === null) {
      text += source[at];
      at += 1;
    } else {
      push(step.node);
      at = step.end;
    }
  }
  if (text !== '') found.push({ kind: 'text', text: decodeEntities(text) });
  return found;
}

interface Step {
  readonly node: Inline;
  readonly end: number;
}

function readAt(source: string, at: number, depth: number): Step | null {
  const character = source[at] as string;
  if (character === '<') return readAngle(source, at);
  if (character === '`') return readCode(source, at);
  if (character === ':') return readEmoji(source, at);
  if (character === FOUND_START) return readFound(source, at, depth);
  if (character in MARKS) return depth < MAX_DEPTH ? readMarked(source, at, depth) : null;
  if (character === 'h' && isBoundary(source[at - 1])) return readBareLink(source, at);
  return null;
}

const isBoundary = (character: string | undefined): boolean =>
  character === undefined || !/[\p{L}\p{N}_/]/u.test(character);

function readCode(source: string, at: number): Step | null {
  const end = source.indexOf('`', at + 1);
  if (end <= at + 1) return null;
  const text = source.slice(at + 1, end);
  return text.includes('\n') ? null : { node: { kind: 'code', text: decodeEntities(plainAngles(text)) }, end: end + 1 };
}

function readEmoji(source: string, at: number): Step | null {
  const match = EMOJI.exec(source.slice(at, at + 120));
  return match ? { node: { kind: 'emoji', name: match[1] as string }, end: at + match[0].length } : null;
}

function readFound(source: string, at: number, depth: number): Step | null {
  const end = source.indexOf(FOUND_END, at + 1);
  if (end === -1 || depth >= MAX_DEPTH) return null;
  return { node: { kind: 'found', children: parseInline(source.slice(at + 1, end), depth + 1) }, end: end + 1 };
}

function readBareLink(source: string, at: number): Step | null {
  const match = BARE_LINK.exec(source.slice(at, at + 4_000));
  if (!match) return null;
  let url = match[0].replace(/[.,;:!?'"*_~]+$/, '');
  if (url.endsWith(')') && !url.includes('(')) url = url.replace(/\)+$/, '');
  if (url.length <= 'https://'.length) return null;
  return { node: { kind: 'link', url: decodeEntities(url), label: null }, end: at + url.length };
}

/** A mark opens and closes at the edge of a word, on the same line. */
function readMarked(source: string, at: number, depth: number): Step | null {
  const mark = source[at] as keyof typeof MARKS;
  const next = source[at + 1];
  if (!isBoundary(source[at - 1]) || next === undefined || /\s/.test(next) || next === mark) return null;
  for (let end = at + 2; end < source.length && source[end] !== '\n'; end++) {
    if (source[end] === '`') {
      const close = source.indexOf('`', end + 1);
      if (close > end) end = close;
      continue;
    }
    if (source[end] === '<') {
      const close = source.indexOf('>', end + 1);
      if (close > end) end = close;
      continue;
    }
    if (source[end] !== mark || /\s/.test(source[end - 1] as string) || !isBoundary(source[end + 1])) continue;
    const children = parseInline(source.slice(at + 1, end), depth + 1);
    return { node: { kind: MARKS[mark], children }, end: end + 1 };
  }
  return null;
}

function readAngle(source: string, at: number): Step | null {
  const end = source.indexOf('>', at + 1);
  if (end === -1) return null;
  const inside = source.slice(at + 1, end);
  if (inside === '' || inside.includes('\n') || inside.includes('<')) return null;
  const bar = inside.indexOf('|');
  const target = bar === -1 ? inside : inside.slice(0, bar);
  const label = bar === -1 ? null : inside.slice(bar + 1);
  const node = angleNode(target, label);
  return node === null ? null : { node, end: end + 1 };
}

function angleNode(target: string, label: string | null): Inline | null {
  const shown = label === null || label === '' ? null : decodeEntities(label);
  if (/^@[UWB][A-Z0-9]+$/.test(target)) return { kind: 'user', id: target.slice(1), label: shown };
  if (/^#[CGD][A-Z0-9]+$/.test(target)) return { kind: 'channel', id: target.slice(1), label: shown };
  if (/^!(here|channel|everyone)$/.test(target)) return { kind: 'broadcast', range: target.slice(1), label: shown };
  const group = /^!subteam\^([A-Z0-9]+)$/.exec(target);
  if (group) return { kind: 'group', id: group[1] as string, label: shown };
  const date = /^!date\^(\d{1,12})\^([^^]+)(?:\^(.+))?$/.exec(target);
  if (date) {
    const url = date[3] === undefined ? null : decodeEntities(date[3]);
    return { kind: 'date', seconds: Number(date[1]), format: date[2] as string, url, fallback: shown ?? '' };
  }
  if (/^(https?:\/\/|mailto:)\S+$/i.test(target)) {
    return {
      kind: 'link',
      url: decodeEntities(target),
      label: label === null ? null : [{ kind: 'text', text: decodeEntities(label) }],
    };
  }
  return null;
}

/** The plain text of a tree: for notifications and copying. */
export function plainOf(nodes: readonly Inline[]): string {
  return nodes
    .map((node): string => {
      switch (node.kind) {
        case 'text':
        case 'code':
          return node.text;
        case 'bold':
        case 'italic':
        case 'strike':
        case 'found':
          return plainOf(node.children);
        case 'link':
          return node.label === null ? node.url : plainOf(node.label);
        case 'user':
          return `@${node.label ?? node.id}`;
        case 'channel':
          return `#${node.label ?? node.id}`;
        case 'group':
          return node.label ?? node.id;
        case 'broadcast':
          return `@${node.label ?? node.range}`;
        case 'date':
          return node.fallback;
        case 'emoji':
          return `:${node.name}:`;
      }
    })
    .join('');
}

export const plainOfBlocks = (blocks: readonly Block[]): string =>
  blocks
    .map((block) =>
      block.kind === 'fence'
        ? block.text
        : block.kind === 'quote'
          ? plainOfBlocks(block.blocks)
          : plainOf(block.children),
    )
    .join('\n');
