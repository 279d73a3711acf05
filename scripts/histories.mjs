// Records histories of calls under faults and judges them: `npm run histories -- --minutes 10 --seed 7`
// (docs/reliability.md).
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    mutations: { type: 'boolean' },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error('usage: npm run histories -- [--minutes 1] [--seed 1] [--mutations]');
  process.exit(2);
}
// --mutations: servers that are broken on purpose, each of which has to be found
const spec = values.mutations ? 'mutations' : 'histories';
const { status } = spawnSync('npx', ['vitest', 'run', `test/histories/${spec}.spec.ts`], {
  stdio: 'inherit',
  env: {
    ...process.env,
    HISTORIES_MINUTES: String(minutes),
    HISTORIES_SEED: String(seed),
    HISTORIES_MUTATIONS: String(values.mutations ?? false),
  },
});
process.exit(status ?? 1);
