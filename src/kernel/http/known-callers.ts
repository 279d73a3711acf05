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
    return shown === undefined ? this.addresses.of(request.raw) : (this.shares.get(shown) ?? shown);
  }

  note(request: FastifyRequest, share: number): void {
    const shown = credentialOf(request);
    if (shown !== undefined && this.shares.get(shown) !== share) this.shares.set(shown, share);
  }
}

/** Undefined where none is seen: a token in a body has not been read yet. */
function credentialOf({ headers, url, routeOptions }: FastifyRequest): string | undefined {
  if (headers.authorization) return headers.authorization;
  if (headers['x-admin-token'] !== undefined) return 'operator';
  // a path with ids may be a credential itself, as that of an incoming webhook is; other paths are everybody's
  return routeOptions.url?.includes(':') ? pathOf(url) : undefined;
}
