import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import type { ClientAddresses } from '../../src/kernel/http/client-addresses.js';
import { KnownCallers } from '../../src/kernel/http/known-callers.js';

const ADDRESS = '10.1.2.3';
const request = (url: string, headers: object = {}, route = url): FastifyRequest =>
  ({ url, headers, raw: {}, routeOptions: { url: route } }) as FastifyRequest;

describe('known callers', () => {
  const begin = () => new KnownCallers({ of: () => ADDRESS } as unknown as ClientAddresses);

  it('are told by the credential of their last call', () => {
    const callers = begin();
    const call = request('/api/auth.test', { authorization: 'Bearer one' });
    expect(callers.of(call)).toBe('Bearer one');
    callers.note(call, 7);
    expect(callers.of(request('/graphql', { authorization: 'Bearer one' }))).toBe(7);
    expect(callers.of(request('/graphql', { authorization: 'Bearer other' }))).toBe('Bearer other');
  });

  it('are told by a path that may be a credential', () => {
    const callers = begin();
    const hook = request('/api/hooks/1/secret?x=1', {}, '/api/hooks/:id/:secret');
    callers.note(hook, 7);
    expect(callers.of(hook)).toBe(7);
    expect(callers.of(request('/api/hooks/2/secret', {}, '/api/hooks/:id/:secret'))).not.toBe(7);
  });

  it('are told by their address where the credential is in the body: the path is everybody’s', () => {
    const callers = begin();
    callers.note(request('/api/auth.test'), 7);
    expect(callers.of(request('/api/auth.test'))).toBe(ADDRESS);
  });

  it('are one as operators', () => {
    const callers = begin();
    expect(callers.of(request('/api/admin/provision', { 'x-admin-token': 'any' }))).toBe('operator');
  });
});
