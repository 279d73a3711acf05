#!/usr/bin/env node
import { existsSync } from 'node:fs';

const program = new URL('../dist/server/command.js', import.meta.url);
if (!existsSync(program)) {
  console.error('understudy: not built yet: run "npm run build" in the checkout first');
  process.exit(1);
}
const { run } = await import(program.href);
await run(process.argv);
