import { describe, expect, it } from 'vitest';
import { redacted } from '../../src/kernel/log/log.js';

/** docs/OPERATIONS.md#the-log */
describe('redaction of the log', () => {
  it.each([
    ['xoxb-123456789012-abcdefghijklmnopqrstuvwx', 'a bot token'],
    ['xapp-1-A0000000001-1234567890123-0123456789abcdef', 'an app-level token'],
    ['svc_sbx_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN', 'a control token'],
    ['svc_api_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN', 'an API key'],
    ['svc_wh_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN', 'the secret of a webhook'],
    [`lin_oauth_${'0a'.repeat(32)}`, 'an OAuth token'],
    [`123456789012.1234567890123.${'0a'.repeat(32)}`, 'the code of an installation'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJVMCJ9.c2lnbmF0dXJl', 'a JWT'],
  ])('removes %s', (secret, what) => {
    expect(redacted(`${what}: ${secret}, and more`)).toBe(`${what}: [redacted], and more`);
  });

  it('keeps the parts of a URL that are not secret', () => {
    const base = 'http://127.0.0.1:3000';
    expect(redacted(`POST ${base}/api/webhooks/incoming/B0000000001/abcdefghijklmnopqrstuvwx failed`)).toBe(
      `POST ${base}/api/webhooks/incoming/B0000000001/[redacted] failed`,
    );
    expect(redacted(`${base}/api/interactions/respond/abcdefgh`)).toBe(`${base}/api/interactions/respond/[redacted]`);
    expect(redacted(`wss://fake.test/link/?ticket=abc-def&app_id=A0000000001`)).toBe(
      'wss://fake.test/link/?ticket=[redacted]&app_id=A0000000001',
    );
    expect(redacted(`GET ${base}/oauth/callback?code=abc&state=mine&team=T1 failed`)).toBe(
      `GET ${base}/oauth/callback?code=[redacted]&state=[redacted]&team=T1 failed`,
    );
    expect(redacted('postgres://me:word@host/db')).toBe('postgres://me:[redacted]@host/db');
  });
});
