import { Inject, Injectable } from '@nestjs/common';
import { Clock, type SandboxTime } from '../../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../../kernel/config/settings.js';
import { KnownScopes } from '../../messaging/apps/known-scopes.js';
import { readSeed } from './seed-document.js';
import type { Seed } from './seed-types.js';

/** Documents as they come. */
@Injectable()
export class SeedDocuments {
  constructor(
    private readonly clock: Clock,
    private readonly scopes: KnownScopes,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
  ) {}

  /**
   * Reads one for a sandbox, as of its time; what is wrong with it is said when it is filled in.
   * @param sandbox its own choice of methods; null: the server's
   */
  async read(
    document: Record<string, unknown>,
    sandbox: { time: SandboxTime | null; methods: 'core' | 'all' | null },
    strict: boolean,
  ): Promise<Seed> {
    const surface = this.scopes.surface(sandbox.methods ?? this.settings.methods);
    return this.clock.within(sandbox.time, () => readSeed(document, this.clock.nowMicros(), { strict, surface }));
  }
}
