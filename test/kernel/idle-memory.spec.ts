import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const COMPILED = pathToFileURL(join(import.meta.dirname, '../../dist/kernel/idle-memory.js')).href;

/**
 * Ends at the first requested collection: Node 20 marks it as forced, and later versions run a full one, which a
 * process this small never needs by itself.
 */
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

it('an idle process returns unused memory', async () => {
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

/** Prints the heap size after collections that keep the compiled code of three hundred functions, and after others. */
const WITH_CODE = `
  import { getHeapStatistics } from 'node:v8';
  import { collect } from ${JSON.stringify(COMPILED)};
  const sums = Array.from({ length: 200 }, (_, i) => 's += a * ' + i + ' + b[' + (i % 7) + ']?.x' + i + ';').join('');
  const functions = Array.from({ length: 300 }, (_, i) => new Function('a', 'b', 'let s = ' + i + ';' + sums + 'return s'));
  for (const run of functions) run(2, []);
  // V8 throws code away that was not run since so many collections
  const heldAfter = (keepsCode) => {
    for (let i = 0; i < 9; i++) collect(keepsCode);
    return getHeapStatistics().used_heap_size;
  };
  const kept = heldAfter(true);
  process.stdout.write(JSON.stringify([kept, heldAfter(false)]));
`;

// in Node 20 a requested collection is a small one, which keeps compiled code in any case
it.skipIf(Number.parseInt(process.versions.node, 10) < 22)('a collection keeps compiled code on request', () => {
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', WITH_CODE], { encoding: 'utf8' });
  const [kept, without] = JSON.parse(said) as [number, number];
  expect(kept).toBeGreaterThan(without * 1.5);
});
