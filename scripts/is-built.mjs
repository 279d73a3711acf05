// `npm run start:prod` starts the existing build; without one, this prints what to do instead of a stack trace.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../dist/server/main.js', import.meta.url))) {
  console.error('understudy: not built yet: run "npm run build" first, or "npm start", which builds by itself');
  process.exit(1);
}
