import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const COMPILED = pathToFileURL(join(import.meta.dirname, '../../dist/kernel/idle-memory.js')).href;

/** Ends with the first collection that was asked for: Node 20 marks it so, later ones make a whole one, as no process this small does by itself. */
const RESTING = `
  import { constants, PerformanceObserver } from 'node:perf_hooks';
  import { returnMemoryAtRest } from ${JSON.stringify(COMPILED)};
  const isAsked = ({ detail: { kind, flags } }) =>
    kind === constants.NODE_PERFORMANCE_GC_MAJOR || (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) > 0;
  const stop = returnMemoryAtRest(-Infinity);
  const waiting = setInterval(() => undefined, 60_000);
  new PerformanceObserver((list) => {
    if (!list.getEntries().some(isAsked)) return;
    stop();
    process.stdout.write('given back');
    process.exit();
  }).observe({ entryTypes: ['gc'] });
`;

it('a process that rests gives back what it holds in vain', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', RESTING], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  try {
    await once(child, 'close');
    expect(said).toBe('given back');
  } finally {
    child.kill('SIGKILL');
  }
});
