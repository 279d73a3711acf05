import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Tenant } from '../tenancy/admission.js';
import { ClientAddresses } from './client-addresses.js';
import { pathOf } from './edges.js';

/** So many are remembered. */
const MOST = 10_000;

/**
 * Whose call it is, as far as can be told without asking the store: by what the same credential led to last. It decides
 * with whose calls one is counted and nothing else; who may do what is asked of the store, in each call.
 */
@Injectable()
export class KnownCallers {
  private readonly shares = new LRUCache<string, number>({ max: MOST });

  constructor(private readonly addresses: ClientAddresses) {}

  /** The share of a tenant; a credential that is new; the address of who shows none. */
  of(request: FastifyRequest): Tenant {
    const shown = credentialOf(request);
    return this.shares.get(shown) ?? (shown.startsWith('/') ? this.addresses.of(request.raw) : shown);
  }

  note(request: FastifyRequest, share: number): void {
    const shown = credentialOf(request);
    if (this.shares.get(shown) !== share) this.shares.set(shown, share);
  }
}

/** Where none is shown the address of the call may hold it, as that of an incoming webhook does. */
function credentialOf({ headers, url }: FastifyRequest): string {
  return headers.authorization || (headers['x-admin-token'] === undefined ? pathOf(url) : 'operator');
}
