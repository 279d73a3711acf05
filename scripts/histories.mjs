// Records histories of calls under faults and judges them: `npm run histories -- --minutes 10 --seed 7`
// (docs/reliability.md).
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const USAGE = `usage: npm run histories -- [--minutes 1] [--seed 1] [--totals FILE] [--keep FOLDER] [--before FOLDER]
       npm run histories -- --judge FILE…
       npm run histories -- --mutations

  --totals     adds what the runs came to to the figures in this file
  --keep       keeps the history of each run in this folder
  --before     begins with the version of this checkout, which is built, and upgrades one replica after the other
  --judge      judges histories that were kept
  --mutations  servers that are broken on purpose, each of which has to be found`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    totals: { type: 'string' },
    keep: { type: 'string' },
    before: { type: 'string' },
    judge: { type: 'boolean' },
    mutations: { type: 'boolean' },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isInteger(seed) || positionals.length > 0 !== (values.judge ?? false)) {
  console.error(USAGE);
  process.exit(2);
}
const spec = values.mutations ? 'mutations' : 'histories';
const { status } = spawnSync('npx', ['vitest', 'run', `test/histories/${spec}.spec.ts`], {
  stdio: 'inherit',
  env: {
    ...process.env,
    HISTORIES_MINUTES: String(minutes),
    HISTORIES_SEED: String(seed),
    HISTORIES_MUTATIONS: String(values.mutations ?? false),
    ...(values.totals !== undefined && { HISTORIES_TOTALS: resolve(values.totals) }),
    ...(values.keep !== undefined && { HISTORIES_KEEP: resolve(values.keep) }),
    ...(values.before !== undefined && { HISTORIES_BEFORE: resolve(values.before) }),
    ...(values.judge && { HISTORIES_JUDGE: positionals.map((path) => resolve(path)).join(',') }),
  },
});
process.exit(status ?? 1);
