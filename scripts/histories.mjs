// Records histories of calls under faults and judges them: `npm run histories -- --minutes 10 --seed 7`.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error('usage: npm run histories -- [--minutes 1] [--seed 1]');
  process.exit(2);
}
const { status } = spawnSync('npx', ['vitest', 'run', 'test/histories/histories.spec.ts'], {
  stdio: 'inherit',
  env: { ...process.env, HISTORIES_MINUTES: String(minutes), HISTORIES_SEED: String(seed) },
});
process.exit(status ?? 1);
