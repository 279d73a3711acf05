import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const linter = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');

/** An import, and whether the lint rules of its folder allow it. */
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
  ['src/tenants/a.ts', '../messaging/wire/codes.js', true],
  ['src/tenants/a.ts', '../tracker/values/errors.js', true],
  ['src/tenants/a.ts', '../cli/program.js', false],
];

describe('the boundaries between folders', () => {
  const folder = mkdtempSync(join(tmpdir(), 'understudy-lint-'));
  let report: { code: string; filename: string }[] = [];
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const fileOf = (from: string, index: number): string => from.replace(/a\.ts$|([a-z]+)\.ts$/, `case${index}.ts`);

  beforeAll(() => {
    copyFileSync(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    IMPORTS.forEach(([from, specifier], i) => write(fileOf(from, i), `import { x } from '${specifier}';\nx();\n`));
    write('src/kernel/ids/one.ts', `import { two } from './two.js';\nexport const one = () => two;\n`);
    write('src/kernel/ids/two.ts', `import { one } from './one.js';\nexport const two = () => one;\n`);
    const { stdout } = spawnSync(process.execPath, [linter, '-f', 'json', '.'], { cwd: folder, encoding: 'utf8' });
    report = (JSON.parse(stdout) as { diagnostics: typeof report }).diagnostics;
  });

  const refused = (file: string, rule: string): boolean =>
    report.some((entry) => entry.filename.endsWith(file) && entry.code.includes(rule));

  it.each(IMPORTS.map((row, i) => [...row, i] as const))('let %s import %s: %s', (from, _specifier, isAllowed, i) => {
    expect(refused(fileOf(from, i), 'no-restricted-imports')).toBe(!isAllowed);
  });

  it('allow no cycle of imports', () => {
    expect(refused('src/kernel/ids/one.ts', 'no-cycle')).toBe(true);
  });
});
