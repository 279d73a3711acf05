import { Inject, Injectable } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { isInside, withoutBrackets } from '../config/addresses.js';
import { SETTINGS_TOKEN, type Settings } from '../config/settings.js';

/** The client address of a request: only the proxies named by SVC_TRUSTED_PROXIES are believed. */
@Injectable()
export class ClientAddresses {
  private readonly hasProxies: boolean;

  constructor(@Inject(SETTINGS_TOKEN) private readonly settings: Settings) {
    this.hasProxies = settings.trustedProxies.rules.length > 0;
  }

  isTrustedProxy(address: string | undefined): boolean {
    return this.hasProxies && address !== undefined && isInside(this.settings.trustedProxies, plain(address));
  }

  /**
   * The last address of `X-Forwarded-For` that is not a trusted proxy, if the connection comes from one; else the
   * connection's address.
   */
  of(request: Pick<IncomingMessage, 'headers' | 'socket'>): string {
    let address = plain(request.socket.remoteAddress ?? '');
    const header = request.headers['x-forwarded-for'];
    const forwarded = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map((part) => part.trim());
    while (this.isTrustedProxy(address)) {
      const before = plain(withoutBrackets(forwarded.pop() ?? ''));
      if (isIP(before) === 0) break;
      address = before;
    }
    return address;
  }
}

/** Converts an IPv4 address from an IPv6 socket to IPv4. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
