#!/usr/bin/env node
// no syntax here that an old Node.js cannot read, as it is refused by this import
import './require-node.cjs';
import { existsSync } from 'fs';

const program = new URL('../dist/server/command.js', import.meta.url);
if (existsSync(program)) {
  void import(program.href).then(({ run }) => run(process.argv));
} else {
  console.error('understudy: not built yet: run "npm run build" in the checkout first');
  process.exitCode = 1;
}
