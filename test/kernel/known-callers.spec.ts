import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { ClientAddresses } from '../../src/kernel/http/client-addresses.js';
import { KnownCallers } from '../../src/kernel/http/known-callers.js';

const request = (url: string, headers: Record<string, string> = {}): FastifyRequest =>
  ({ url, headers, raw: {} }) as unknown as FastifyRequest;

/** docs/reference/limits.md#overload */
describe('the tenant for which a call is counted', () => {
  const addresses = { of: () => '192.0.2.1' } as unknown as ClientAddresses;

  it('is the last one that the credential led to, and the credential itself until then', () => {
    const callers = new KnownCallers(addresses);
    const call = request('/api/auth.test', { authorization: 'Bearer one' });
    expect(callers.of(call)).toBe('Bearer one');
    callers.note(call, 7, false);
    expect(callers.of(request('/graphql', { authorization: 'Bearer one' }))).toBe(7);
  });

  it('is found by a path that contains a credential, and by no other path', () => {
    const callers = new KnownCallers(addresses);
    const [hook, method] = [request('/services/T1/B1/secret?x=1'), request('/api/chat.postMessage')];
    callers.note(hook, 7, true);
    // the token of this call is in its body, so other tenants use the same path
    callers.note(method, 8, false);
    expect(callers.of(request('/services/T1/B1/secret'))).toBe(7);
    expect(callers.of(method)).toBe('192.0.2.1');
  });

  it('is the group of operators for their routes, whichever tenant they concern', () => {
    const callers = new KnownCallers(addresses);
    const call = request('/api/admin/provision', { 'x-admin-token': 'of an operator' });
    callers.note(call, 7, false);
    expect(callers.of(call)).toBe('operators');
  });

  it('is found by a control token in its own header, for workers that share an address', () => {
    const callers = new KnownCallers(addresses);
    const reset = (token: string): FastifyRequest => request('/api/sandboxes/self/reset', { 'x-sandbox-token': token });
    expect(callers.of(reset('one'))).toBe('one');
    callers.note(reset('one'), 7, false);
    expect([callers.of(reset('one')), callers.of(reset('two'))]).toEqual([7, 'two']);
    // the authorization header takes precedence over the control token
    expect(callers.of(request('/api/auth.test', { 'x-sandbox-token': 'one', authorization: 'Bearer two' }))).toBe(
      'Bearer two',
    );
  });
});
