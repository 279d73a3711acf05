import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';

/** OWASP's parameters for argon2id: 19 MiB, two passes. About 10 ms of one core, off the event loop. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Passwords as slow salted hashes (messaging.md E.2). Both verbs take milliseconds of a pool thread: never call them
 * inside a transaction.
 */
@Injectable()
export class Passwords {
  private decoy: Promise<string> | undefined;

  hash(password: string): Promise<string> {
    return hash(password, OPTIONS);
  }

  /**
   * Whether the password is the one that was hashed. Without a hash (an unknown address, an account that cannot log
   * in) it takes as long and answers false, so that the time taken does not tell which addresses exist.
   */
  async verify(stored: string | null | undefined, password: string): Promise<boolean> {
    const known = stored !== null && stored !== undefined;
    this.decoy ??= this.hash('nobody has this password');
    const matches = await verify(known ? stored : await this.decoy, password);
    return known && matches;
  }
}
