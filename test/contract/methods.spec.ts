import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MessagingModule } from '../../src/messaging/messaging.module.js';
import type { ScopeRule } from '../../src/messaging/access/identity.js';
import { describeArgs } from '../../src/messaging/rpc/args/parse-args.js';
import { methodsOfModule, type Method } from '../../src/messaging/rpc/method-registry.js';
import { answers } from '../support/shapes/answers.js';
import { furtherAnswers } from '../support/shapes/further-answers.js';

type Scopes = Record<string, string[]>;
interface ContractMethod {
  tier: string;
  scopes: { bot: Scopes; user: Scopes };
  args: Record<string, unknown>[];
}

const contract = JSON.parse(readFileSync(new URL('fixtures/messaging.json', import.meta.url), 'utf8')) as {
  methods: Record<string, ContractMethod>;
};

const every = methodsOfModule(MessagingModule);
const methods = new Map(every.filter(({ isCore }) => isCore).map((method) => [method.name, method]));
const declared = Object.entries(contract.methods);

/** In the form of the reference: by type, or `any`, or nothing. */
function scopesOf(rule: ScopeRule): { bot: object; user: object } {
  if (rule.byType) return rule.byType;
  const any = rule.any ? { any: rule.any } : {};
  return { bot: any, user: any };
}

describe('the methods of the server', () => {
  it('are those of the reference, each once', () => {
    expect([...methods.keys()].sort()).toEqual(Object.keys(contract.methods).sort());
    expect(new Set(every.map(({ name }) => name)).size).toBe(every.length);
  });

  it('each have a declared answer, against which every answer in the specs is checked', () => {
    expect(Object.keys({ ...answers, ...furtherAnswers }).sort()).toEqual(every.map(({ name }) => name).sort());
  });

  it('each have a spec that names them', () => {
    const folder = fileURLToPath(new URL('../messaging', import.meta.url));
    const specs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.spec.ts'),
    );
    const titles = specs
      .flatMap((name) => [
        ...readFileSync(join(folder, name), 'utf8').matchAll(/\b(?:describe|it)\(\s*(['"`])(.+?)\1/gs),
      ])
      .flatMap(([, , title]) => (title as string).split(/[^\w.]+/));
    expect(every.map(({ name }) => name).filter((name) => !titles.includes(name))).toEqual([]);
  });

  it.each(declared)('%s has the documented scopes', (name, { scopes }) => {
    expect(scopesOf((methods.get(name) as Method).rule)).toEqual(scopes);
  });

  it.each(declared)('%s has the documented tier', (name, { tier }) => {
    const method = methods.get(name) as Method;
    expect(method.tier === 'special' ? 'special' : `tier${method.tier}`).toBe(tier);
  });

  it.each(declared)('%s has the documented arguments', (name, { args }) => {
    const method = methods.get(name) as Method;
    expect(method.args ? describeArgs(method.args) : []).toEqual(args);
  });
});
