import type { Log } from '../../kernel/log/log.js';

/** Names are the callers': beyond this many, new ones are not remembered and not logged. */
const MAX_NAMES = 1_000;

/** Logs each missing method once when it is first called, so that a team sees which ones its code needs. */
export class MissingMethods {
  private readonly logged = new Set<string>();

  /** @param methods the server's setting */
  constructor(
    private readonly log: Log,
    private readonly methods: 'core' | 'all',
  ) {}

  /** @param isBeyondCore the method exists where all methods are */
  report(name: string, isBeyondCore: boolean): void {
    if (this.logged.size >= MAX_NAMES || this.logged.has(name)) return;
    this.logged.add(name);
    const why = !isBeyondCore
      ? 'which does not exist here'
      : this.methods === 'core'
        ? 'which SVC_METHODS=all has (this server: core)'
        : 'which its sandbox is without (its methods: core)';
    this.log.info(`${name} was called, ${why}`, { method: name });
  }
}
