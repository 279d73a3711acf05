import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { templatePath } from '../../src/kernel/database/template.js';

/**
 * Once for all workers: with the build's template a server on an embedded database starts in well under a second. Where
 * sources do not compile there is none, and the specs start slowly instead of not at all.
 */
export default function setup(): void {
  if (templatePath() !== null) return;
  spawnSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))], {
    stdio: ['ignore', 2, 2],
  });
}
