import type { Log } from '../../kernel/log/log.js';

/** Names are the callers': beyond this many, new ones are not remembered and not logged. */
const MOST_NAMES = 1_000;

/** Says once for each method that somebody asked for in vain what it was, so that a team sees what it misses. */
export class MissingMethods {
  private readonly told = new Set<string>();

  constructor(private readonly log: Log) {}

  /** @param isBeyondCore the method exists where SVC_METHODS is `all` */
  tell(name: string, isBeyondCore: boolean): void {
    if (this.told.size >= MOST_NAMES || this.told.has(name)) return;
    this.told.add(name);
    this.log.info(
      isBeyondCore
        ? `${name} was called, which SVC_METHODS=all has (this server: core)`
        : `${name} was called, which does not exist here`,
      { method: name },
    );
  }
}
