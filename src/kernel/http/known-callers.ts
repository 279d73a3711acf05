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
  of({ headers, url, raw }: FastifyRequest): Tenant {
    if (headers.authorization) return this.shares.get(headers.authorization) ?? headers.authorization;
    if (headers['x-admin-token'] !== undefined) return 'operators';
    const token = sandboxTokenOf(headers);
    if (token !== undefined) return this.shares.get(token) ?? token;
    return this.shares.get(pathOf(url)) ?? this.addresses.of(raw);
  }

  /** @param isByPath the path is the credential, as that of an incoming webhook: others are no sign of who calls */
  note({ headers, url }: FastifyRequest, share: number, isByPath: boolean): void {
    const shown = headers.authorization || (sandboxTokenOf(headers) ?? (isByPath ? pathOf(url) : undefined));
    if (shown !== undefined && this.shares.get(shown) !== share) this.shares.set(shown, share);
  }
}

/** The control token in a header of its own: the workers of a suite often share an address. */
function sandboxTokenOf(headers: FastifyRequest['headers']): string | undefined {
  const token = headers['x-sandbox-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
}
