// Refuses with one line instead of a stack trace what needs a build: `npm run start:prod` the server, and `npm pack`
// (with --whole) also the test libraries and the web UI.
import { existsSync } from 'node:fs';

const isWhole = process.argv.includes('--whole');
const NEEDED = [
  'server/main.js',
  ...(isWhole ? ['server/command.js', 'clients/js/testing.js', 'ui/index.html', 'ui/graphiql.html'] : []),
];
const missing = NEEDED.filter((file) => !existsSync(new URL(`../dist/${file}`, import.meta.url)));
if (missing.length > 0) {
  const advice = isWhole ? '"npm run build" first' : '"npm run build" first, or "npm start", which builds by itself';
  console.error(`understudy: not built yet: run ${advice} (there is no dist/${missing[0]})`);
  process.exit(1);
}
