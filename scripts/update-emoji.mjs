// Writes the emoji short names that reactions accept (docs/reference/chat.md#emoji), with their code points, from the
// development dependency emoji-datasource, which is far too large to ship. Run it after raising that package's version.
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const emoji = createRequire(import.meta.url)('emoji-datasource/emoji.json');
const names = new Map(emoji.flatMap((entry) => entry.short_names.map((name) => [name, entry.unified.toLowerCase()])));
const target = new URL('../src/kernel/text/emoji-unicodes.json', import.meta.url);
const sorted = Object.fromEntries([...names].sort(([a], [b]) => (a < b ? -1 : 1)));
await writeFile(target, `${JSON.stringify(sorted, null, 2)}\n`);
console.log(`${names.size} names`);

// The web UI's list: by category, each entry the character and its names, followed by a 1 if it has skin tones.
const characterOf = (unified) => String.fromCodePoint(...unified.split('-').map((code) => parseInt(code, 16)));
const ORDER = [
  'Smileys & Emotion',
  'People & Body',
  'Animals & Nature',
  'Food & Drink',
  'Travel & Places',
  'Activities',
  'Objects',
  'Symbols',
  'Flags',
  'Component',
];
const entryOf = (entry) => [
  characterOf(entry.unified),
  entry.short_names.join(' '),
  ...(entry.skin_variations === undefined ? [] : [1]),
];
const inOrder = (category) =>
  emoji.filter((entry) => entry.category === category).sort((a, b) => a.sort_order - b.sort_order);
const categories = ORDER.map((category) => [category, inOrder(category).map(entryOf)]);
await writeFile(new URL('../ui/src/text/emoji.json', import.meta.url), `${JSON.stringify(categories)}\n`);
