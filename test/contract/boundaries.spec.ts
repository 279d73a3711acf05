import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** An import, and whether the rules of its folder allow it. */
const IMPORTS: [from: string, specifier: string, isAllowed: boolean][] = [
  ['src/kernel/http/a.ts', '../config/settings.js', true],
  ['src/kernel/http/a.ts', '../../auth/accounts.js', false],
  ['src/kernel/http/a.ts', '../../messaging/wire/codes.js', false],
  ['src/kernel/clock.ts', '../tracker/schema.js', false],
  ['src/kernel/clock.ts', '../app.module.js', false],
  ['src/auth/a.ts', '../kernel/ids/ids.js', true],
  ['src/auth/a.ts', '../messaging/wire/codes.js', false],
  ['src/webhooks/a.ts', '../kernel/ids/ids.js', true],
  ['src/webhooks/a.ts', '../tracker/values/errors.js', false],
  ['src/messaging/chat/a.ts', '../wire/codes.js', true],
  ['src/messaging/chat/a.ts', '../../auth/accounts.js', true],
  ['src/messaging/chat/a.ts', '../reactions/reactions.service.js', false],
  ['src/messaging/reactions/a.ts', '../chat/chat.service.js', true],
  ['src/messaging/reactions/a.ts', '../users/users.service.js', false],
  ['src/messaging/reactions/a.ts', '../../tracker/values/errors.js', false],
  ['src/messaging/reactions/a.ts', '../../tenants/first-start.js', false],
  ['src/messaging/store/a.ts', '../rpc/contract.js', false],
  ['src/messaging/store/a.ts', '../chat/chat.service.js', false],
  ['src/messaging/store/a.ts', '../wire/codes.js', false],
  ['src/messaging/access/a.ts', '../messages/message-log.js', false],
  ['src/messaging/messages/a.ts', '../access/identity.js', true],
  ['src/messaging/rpc/a.ts', '../wire/codes.js', true],
  ['src/messaging/rpc/a.ts', '../../auth/access-tokens.js', true],
  ['src/messaging/rpc/a.ts', '../chat/chat.service.js', false],
  ['src/messaging/rpc/args/a.ts', '../../chat/chat.dto.js', false],
  ['src/messaging/mcp/a.ts', '../wire/codes.js', false],
  ['src/messaging/mcp/a.ts', '../../kernel/mcp/tool-set.js', true],
  ['src/tracker/mcp/a.ts', '../values/errors.js', false],
  ['src/tracker/mcp/a.ts', '../graphql/context.js', false],
  ['src/tracker/mcp/a.ts', '../../kernel/database/db.js', false],
  ['src/tracker/issues/a.ts', '../values/errors.js', true],
  ['src/tracker/issues/a.ts', '../teams/teams.service.js', false],
  ['src/tracker/issues/a.ts', '../../messaging/wire/codes.js', false],
  ['src/tracker/graphql/a.ts', '../issues/issues.service.js', false],
  ['src/tracker/query/a.ts', '../graphql/context.js', false],
  ['src/tracker/issues/a.ts', '../teams/team.entity.js', true],
  ['src/tracker/query/a.ts', '../store/team.entity.js', true],
  ['src/tracker/query/a.ts', '../teams/cycle.entity.js', false],
  ['src/tracker/teams/a.ts', '../issues/issue.entity.js', false],
  ['src/tracker/issues/a.ts', '../templates/template.entity.js', true],
  ['src/tracker/query/a.ts', '../teams/teams.types.js', false],
  ['src/tracker/entity/a.ts', '../graphql/context.js', true],
  ['src/tracker/entity/a.ts', '../issues/issues.types.js', false],
  ['src/messaging/anything-new/a.ts', '../users/users.service.js', false],
  ['src/messaging/acting/a.ts', '../users/users.service.js', true],
  ['src/sandbox/a.ts', '../tracker/values/errors.js', false],
  ['src/ui/a.ts', '../messaging/wire/codes.js', false],
  ['src/tenants/a.ts', '../messaging/wire/codes.js', true],
  ['src/tenants/a.ts', '../tracker/values/errors.js', true],
  ['src/tenants/a.ts', '../cli/program.js', false],
];

describe('the boundaries between folders', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-boundaries-'));
  let refusedImports: { from: string; to: string }[] = [];
  let faults: { code: string; filename: string }[] = [];
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const fileOf = (from: string, index: number): string => from.replace(/a\.ts$|([a-z]+)\.ts$/, `case${index}.ts`);
  const targetOf = (from: string, specifier: string): string => join(dirname(from), specifier).replace(/\.js$/, '.ts');
  const run = (tool: string, ...options: string[]): string =>
    spawnSync(process.execPath, [join(root, 'node_modules', tool), ...options], { cwd: folder, encoding: 'utf8' })
      .stdout;

  beforeAll(() => {
    for (const file of ['.oxlintrc.json', '.dependency-cruiser.mjs', 'tsconfig.json']) {
      copyFileSync(join(root, file), join(folder, file));
    }
    for (const [i, [from, specifier]] of IMPORTS.entries()) {
      write(targetOf(from, specifier), 'export const x = (): void => undefined;\n');
      write(fileOf(from, i), `import { x } from '${specifier}';\nx();\n`);
    }
    write('src/kernel/ids/one.ts', `import { two } from './two.js';\nexport const one = () => two;\n`);
    write('src/kernel/ids/two.ts', `import { one } from './one.js';\nexport const two = () => one;\n`);
    const cruiser = 'dependency-cruiser/bin/dependency-cruise.mjs';
    const cruised = run(cruiser, '--config', '.dependency-cruiser.mjs', '--output-type', 'json', 'src');
    refusedImports = (JSON.parse(cruised) as { summary: { violations: typeof refusedImports } }).summary.violations;
    faults = (JSON.parse(run('oxlint/bin/oxlint', '-f', 'json', '.')) as { diagnostics: typeof faults }).diagnostics;
  });

  it.each(IMPORTS.map((row, i) => [...row, i] as const))('let %s import %s: %s', (from, specifier, isAllowed, i) => {
    const refused = refusedImports.filter((one) => one.from === fileOf(from, i));
    expect(refused.every(({ to }) => to === targetOf(from, specifier))).toBe(true);
    expect(refused.length > 0).toBe(!isAllowed);
  });

  it('allow no cycle of imports', () => {
    const isCycle = ({ filename, code }: (typeof faults)[number]): boolean =>
      filename.endsWith('src/kernel/ids/one.ts') && code.includes('no-cycle');
    expect(faults.some(isCycle)).toBe(true);
  });
});
