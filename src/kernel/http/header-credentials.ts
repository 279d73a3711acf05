import { lru } from '../lru.js';
import { Injectable } from '@nestjs/common';
import type { IncomingHttpHeaders } from 'node:http';

/** Whether the credential in these headers is a good one; undefined where they hold none of the kind it checks. */
export type CredentialCheck = (headers: IncomingHttpHeaders) => Promise<boolean> | undefined;

/** How long a good credential is not looked up again, in milliseconds, and how many are remembered. */
const GOOD_FOR_MS = 10_000;
const MAX_ENTRIES = 10_000;

/**
 * Whether somebody the server knows sent a request, by its headers alone. It only decides whether a body is read: who
 * calls, and whether they may, is checked for each call by its route.
 */
@Injectable()
export class HeaderCredentials {
  private readonly checks: CredentialCheck[] = [];
  private readonly good = lru<string, true>(MAX_ENTRIES, { ttl: GOOD_FOR_MS });

  /** At start-up: each part of the server checks its own kinds of credentials. */
  register(check: CredentialCheck): void {
    this.checks.push(check);
  }

  /** Answers at once for what was good a moment ago, and where there is no credential. */
  areGood(headers: IncomingHttpHeaders): boolean | Promise<boolean> {
    const shown = [headers.authorization, headers['x-admin-token'], headers['x-sandbox-token']];
    if (!shown.some(Boolean)) return false;
    const key = JSON.stringify(shown);
    return this.good.has(key) || this.lookUp(headers, key);
  }

  private async lookUp(headers: IncomingHttpHeaders, key: string): Promise<boolean> {
    for (const check of this.checks) {
      if (!(await check(headers))) continue;
      this.good.set(key, true);
      return true;
    }
    return false;
  }
}
