import type { Log } from '../../kernel/log/log.js';

/** Names are the callers': beyond this many, new ones are not remembered and not logged. */
const MOST_NAMES = 1_000;

/** Says once for each method that somebody asked for in vain what it was, so that a team sees what it misses. */
export class MissingMethods {
  private readonly told = new Set<string>();

  /** @param methods the server's setting */
  constructor(
    private readonly log: Log,
    private readonly methods: 'core' | 'all',
  ) {}

  /** @param isBeyondCore the method exists where all methods are */
  tell(name: string, isBeyondCore: boolean): void {
    if (this.told.size >= MOST_NAMES || this.told.has(name)) return;
    this.told.add(name);
    const why = !isBeyondCore
      ? 'which does not exist here'
      : this.methods === 'core'
        ? 'which SVC_METHODS=all has (this server: core)'
        : 'which its sandbox is without (its methods: core)';
    this.log.info(`${name} was called, ${why}`, { method: name });
  }
}
