import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { newAlphanumeric, sha256Hex } from '../kernel/ids/ids.js';
import { isSameSecret } from '../kernel/ids/same-secret.js';
import { HashThreads } from './hash-threads.js';

/** OWASP's parameters for argon2id: 19 MiB, two passes. About 10 ms of one core, off the event loop. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The stored form of a generated password: this prefix, salt and digest. */
const GENERATED_PREFIX = 'sha256$';
/** Of `[A-Za-z0-9]`: 142 bits, too many to guess, however fast the hash. */
const MADE_UP_LENGTH = 24;

/**
 * Passwords as slow salted hashes (docs/reference/control-plane.md#passwords). Both operations take milliseconds of a
 * thread: never call them inside a transaction.
 */
@Injectable()
export class Passwords implements OnApplicationShutdown {
  private readonly threads = new HashThreads(OPTIONS);
  private decoy: Promise<string> | undefined;

  /** @param kind `person`: someone waits for it, and is refused when too many do (429) */
  async hash(password: string, kind: 'person' | 'bulk' = 'bulk'): Promise<string> {
    return (await this.threads.ask({ password, stored: null }, kind)) as string;
  }

  /**
   * A new random password and its stored form. As it cannot be guessed, a fast hash is enough, as for tokens: making
   * many workspaces does not wait for many slow hashes.
   */
  makeUp(): { password: string; stored: string } {
    const password = newAlphanumeric(MADE_UP_LENGTH);
    const salt = newAlphanumeric(16);
    return { password, stored: `${GENERATED_PREFIX}${salt}$${sha256Hex(salt + password)}` };
  }

  /**
   * Whether the password matches the hash. Without a hash (an unknown address, an account that cannot log in) it takes
   * as long and returns false, so that the time does not reveal which addresses exist.
   * @throws RestError 429 ratelimited when too many wait
   */
  async verify(stored: string | null | undefined, password: string): Promise<boolean> {
    const isMadeUp = stored?.startsWith(GENERATED_PREFIX) ?? false;
    const known = stored !== null && stored !== undefined && !isMadeUp;
    const matches = await this.threads.ask({ password, stored: known ? stored : await this.decoyHash() }, 'person');
    return isMadeUp ? isDigestOf(password, stored as string) : known && matches === true;
  }

  private decoyHash(): Promise<string> {
    this.decoy ??= this.hash('nobody has this password').catch((error: unknown) => {
      // the next call retries
      this.decoy = undefined;
      throw error;
    });
    return this.decoy;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }
}

function isDigestOf(password: string, stored: string): boolean {
  const [, salt = '', digest = ''] = stored.split('$');
  return isSameSecret(sha256Hex(salt + password), digest);
}
