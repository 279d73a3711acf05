import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Tenant } from '../tenancy/admission.js';
import { ClientAddresses } from './client-addresses.js';
import { pathOf } from './edges.js';
import { lru } from '../lru.js';

/** How many are remembered. */
const MAX_ENTRIES = 10_000;

/**
 * Guesses a call's tenant without asking the store, by the tenant of the credential's last call. It only decides with
 * whose calls this one is counted; authorization always asks the store.
 */
@Injectable()
export class KnownCallers {
  private readonly shares = lru<string, number>(MAX_ENTRIES);

  constructor(private readonly addresses: ClientAddresses) {}

  /** The share of a tenant, an unknown credential, or the address of a call without one. */
  of({ headers, url, raw }: FastifyRequest): Tenant {
    if (headers.authorization) return this.shares.get(headers.authorization) ?? headers.authorization;
    if (headers['x-admin-token'] !== undefined) return 'operators';
    const token = sandboxTokenOf(headers);
    if (token !== undefined) return this.shares.get(token) ?? token;
    return this.shares.get(pathOf(url)) ?? this.addresses.of(raw);
  }

  /** @param isByPath the path is the credential, as that of an incoming webhook: other credentials are ignored */
  note({ headers, url }: FastifyRequest, share: number, isByPath: boolean): void {
    const shown = headers.authorization || (sandboxTokenOf(headers) ?? (isByPath ? pathOf(url) : undefined));
    if (shown !== undefined && this.shares.get(shown) !== share) this.shares.set(shown, share);
  }
}

/** The control token's header: the workers of a suite often share an address. */
function sandboxTokenOf(headers: FastifyRequest['headers']): string | undefined {
  const token = headers['x-sandbox-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
}
