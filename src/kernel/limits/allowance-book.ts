import { Injectable } from '@nestjs/common';
import type { Policy } from './policy.js';

/** The meaning of an allowance's key. */
export interface AllowanceFacts {
  /** The name that tests use: a method, or the name of a budget. */
  readonly key: string;
  readonly policy: Policy;
  /** Ids. */
  readonly app?: string;
  readonly user?: string;
  readonly channel?: string;
  readonly webhook?: string;
}

/** The factor and prefix of allowances where they are counted. */
interface Scale {
  readonly rateLimitMultiplier: number;
}

/** Parses a key without the sandbox's prefix; undefined when it is not one of this kind, or not limited there. */
export type AllowanceReader = (rest: string, sandbox: Scale) => AllowanceFacts | undefined;

/** Registry of what the keys of allowances mean: every part that takes allowances registers how to read its keys. */
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
