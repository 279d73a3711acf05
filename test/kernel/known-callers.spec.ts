import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { ClientAddresses } from '../../src/kernel/http/client-addresses.js';
import { KnownCallers } from '../../src/kernel/http/known-callers.js';

const request = (url: string, headers: Record<string, string> = {}): FastifyRequest =>
  ({ url, headers, raw: {} }) as unknown as FastifyRequest;

/** docs/reference/limits.md#overload */
describe('with whose calls one is counted', () => {
  const addresses = { of: () => '192.0.2.1' } as unknown as ClientAddresses;

  it('is told by what the credential led to last, and by the credential until then', () => {
    const callers = new KnownCallers(addresses);
    const call = request('/api/auth.test', { authorization: 'Bearer one' });
    expect(callers.of(call)).toBe('Bearer one');
    callers.note(call, 7, false);
    expect(callers.of(request('/graphql', { authorization: 'Bearer one' }))).toBe(7);
  });

  it('is told by a path that is a credential, and by no other', () => {
    const callers = new KnownCallers(addresses);
    const [hook, method] = [request('/services/T1/B1/secret?x=1'), request('/api/chat.postMessage')];
    callers.note(hook, 7, true);
    // its token stands in its body, as those of other tenants do
    callers.note(method, 8, false);
    expect(callers.of(request('/services/T1/B1/secret'))).toBe(7);
    expect(callers.of(method)).toBe('192.0.2.1');
  });

  it('is all operators’ for their routes, whichever tenant they were about', () => {
    const callers = new KnownCallers(addresses);
    const call = request('/api/admin/provision', { 'x-admin-token': 'of an operator' });
    callers.note(call, 7, false);
    expect(callers.of(call)).toBe('operators');
  });

  it('is told by a control token in its own header, for workers that share an address', () => {
    const callers = new KnownCallers(addresses);
    const reset = (token: string): FastifyRequest => request('/api/sandboxes/self/reset', { 'x-sandbox-token': token });
    expect(callers.of(reset('one'))).toBe('one');
    callers.note(reset('one'), 7, false);
    expect([callers.of(reset('one')), callers.of(reset('two'))]).toEqual([7, 'two']);
    // beside a token of somebody else's it decides nothing
    expect(callers.of(request('/api/auth.test', { 'x-sandbox-token': 'one', authorization: 'Bearer two' }))).toBe(
      'Bearer two',
    );
  });
});
