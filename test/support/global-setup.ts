import { fileURLToPath } from 'node:url';
import { NativeUnavailable } from '../../src/kernel/database/embedded/native/native-unavailable.js';
import { templatePath } from '../../src/kernel/database/template.js';
import { setUp } from '../../scripts/setup.mjs';

/**
 * Once for all workers: with the build's template a server on an embedded database starts in well under a second. Where
 * sources do not compile there is none, and the specs start slowly instead of not at all.
 */
export default function setup(): void {
  if (hasTemplate()) return;
  try {
    setUp(fileURLToPath(new URL('../..', import.meta.url)), { build: 'only' });
  } catch (error) {
    console.error((error as Error).message);
  }
}

function hasTemplate(): boolean {
  try {
    if (templatePath('postgres') !== null) return true;
  } catch (error) {
    if (!(error instanceof NativeUnavailable)) throw error;
  }
  return templatePath('pglite') !== null;
}
