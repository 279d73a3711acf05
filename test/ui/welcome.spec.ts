import { describe, expect, it } from 'vitest';
import { welcome } from '../../src/cli/welcome.js';
import type { DefaultTenant } from '../../src/tenants/first-start.js';

const FACTS = {
  version: '1.0.0',
  baseUrl: 'http://localhost:3000',
  store: 'in memory',
  methods: 'all',
  missingScopeStatus: 403,
  tenant: { teamName: 'Acme', teamId: 'T0ACME', botToken: 'xoxb-1' } as DefaultTenant,
} as const;

/** docs/reference/web-ui.md */
describe('the output of a start about the web UI', () => {
  it('explains in api mode how to enable it, in the last line', () => {
    const lines = welcome(FACTS).trimEnd().split('\n');
    expect(lines.at(-1)).toBe('A web UI: SVC_MODE=full npm start');
    expect(lines.filter((line) => /^ {2}Open /.test(line) || line.startsWith('The link works'))).toEqual([]);
  });

  it('says which status a missing scope has', () => {
    expect(welcome(FACTS)).toContain('SVC_MISSING_SCOPE_STATUS=200');
    expect(welcome({ ...FACTS, missingScopeStatus: 200 })).toContain('status 200, as at Slack');
  });

  it('begins in full mode with a link, and explains how to get another', () => {
    const link = `http://localhost:3000/#key=${'k'.repeat(43)}`;
    const text = welcome({ ...FACTS, link });
    expect(text.split('\n')[2]).toBe(`  Open        ${link}`);
    expect(text).toContain('The link works once, for an hour; npx --no-install understudy open prints another.');
    expect(text).not.toContain('A web UI:');
  });
});
