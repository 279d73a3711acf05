import { describe, expect, it } from 'vitest';
import { MessagingError } from '../../../src/messaging/wire/codes.js';

describe('MessagingError', () => {
  it('carries its code and extra fields, with status 200', () => {
    const error = new MessagingError('not_in_channel', { extra: { not_in_channel: true } });
    expect(error.body()).toEqual({ ok: false, error: 'not_in_channel', not_in_channel: true });
    expect(error.status).toBe(200);
  });

  it('has the documented status of its code, unless another is given', () => {
    expect(new MessagingError('missing_scope').status).toBe(403);
    expect(new MessagingError('missing_scope', { status: 200 }).status).toBe(200);
    expect(new MessagingError('ratelimited', { retryAfter: 3 })).toMatchObject({ status: 429, retryAfter: 3 });
    expect(new MessagingError('service_unavailable').status).toBe(503);
  });

  it('begins its body with ok and error, as the reference service does', () => {
    const body = new MessagingError('missing_scope', { extra: { needed: 'chat:write', provided: '' } }).body();
    expect(JSON.stringify(body)).toBe('{"ok":false,"error":"missing_scope","needed":"chat:write","provided":""}');
  });

  it('does not let an extra field replace ok or error', () => {
    expect(new MessagingError('no_text', { extra: { ok: true, error: 'x' } }).body()).toEqual({
      ok: false,
      error: 'no_text',
    });
  });
});
