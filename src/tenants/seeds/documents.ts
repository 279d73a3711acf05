import { Injectable } from '@nestjs/common';
import { Clock, type SandboxTime } from '../../kernel/clock/clock.js';
import { KnownScopes } from '../../messaging/apps/known-scopes.js';
import { readSeed } from './seed-document.js';
import type { Seed } from './seed-types.js';

/** Documents as they come. */
@Injectable()
export class SeedDocuments {
  constructor(
    private readonly clock: Clock,
    private readonly scopes: KnownScopes,
  ) {}

  /** Reads one as of a sandbox's time; what is wrong with it is said when it is filled in. */
  async read(document: Record<string, unknown>, time: SandboxTime | null, strict: boolean): Promise<Seed> {
    return this.clock.within(time, () =>
      readSeed(document, this.clock.nowMicros(), { strict, scopes: this.scopes.names }),
    );
  }
}
