import { Injectable } from '@nestjs/common';
import type { Policy } from './policy.js';

/** What a key of an allowance counts for. */
export interface AllowanceFacts {
  /** As a test calls it: a method, or the name of a budget. */
  readonly key: string;
  readonly policy: Policy;
  /** Ids. */
  readonly app?: string;
  readonly user?: string;
  readonly channel?: string;
  readonly webhook?: string;
}

/** What scales allowances where they are counted. */
interface Scale {
  readonly rateLimitMultiplier: number;
}

/** Reads the part of a key behind the sandbox's prefix; undefined when it is none of its own, or nothing binds there. */
export type AllowanceReader = (rest: string, sandbox: Scale) => AllowanceFacts | undefined;

/** Who counts under which keys: whoever takes allowances registers how its keys read. */
@Injectable()
export class AllowanceBook {
  private readonly readers: AllowanceReader[] = [];

  /** At start-up. */
  register(reader: AllowanceReader): void {
    this.readers.push(reader);
  }

  read(rest: string, sandbox: Scale): AllowanceFacts | undefined {
    for (const reader of this.readers) {
      const facts = reader(rest, sandbox);
      if (facts) return facts;
    }
    return undefined;
  }
}
