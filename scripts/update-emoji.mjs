// Writes the emoji short names that reactions accept (messaging.md C.6) from the development dependency
// emoji-datasource, which is far too large to ship. Run it after raising that package's version.
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const emoji = createRequire(import.meta.url)('emoji-datasource/emoji.json');
const names = [...new Set(emoji.flatMap((entry) => entry.short_names))].sort();
const target = new URL('../src/messaging/model/emoji-names.json', import.meta.url);
await writeFile(target, `[\n${names.map((name) => `  ${JSON.stringify(name)}`).join(',\n')}\n]\n`);
console.log(`${names.length} names`);
