import { type DynamicModule, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Clock } from '../clock/clock.js';
import { Db } from '../database/db.js';
import { Upkeep } from '../database/upkeep.js';
import { AllowanceBook } from './allowance-book.js';
import { Limits } from './limits.js';
import { MemoryLimits } from './memory-limits.js';
import { StoreLimits, SWEEP_EVERY_MS } from './store-limits.js';
import { LimitsThrottlerStorage } from './throttler-storage.js';

function storeLimits(db: Db, clock: Clock, upkeep: Upkeep): StoreLimits {
  const limits = new StoreLimits(db, clock);
  upkeep.register('forgetting spent allowances', SWEEP_EVERY_MS, (stopped) => limits.sweepInTurn(stopped));
  return limits;
}

/**
 * Provides `Limits` everywhere, and `@nestjs/throttler` configured to use it: an edge only adds its guard, a
 * `TierThrottlerGuard`. Needs `Clock`, and on PostgreSQL `Db` and `Upkeep`, from a global module.
 */
@Module({})
export class LimitsModule {
  static forStore({ embedded }: { embedded: boolean }): DynamicModule {
    const limits = embedded
      ? { provide: Limits, useFactory: (clock: Clock) => new MemoryLimits(clock), inject: [Clock] }
      : { provide: Limits, useFactory: storeLimits, inject: [Db, Clock, Upkeep] };
    return {
      module: LimitsModule,
      global: true,
      imports: [
        ThrottlerModule.forRootAsync({
          inject: [LimitsThrottlerStorage],
          // one unnamed throttler; guards with their own policy do not read its numbers
          useFactory: (storage: LimitsThrottlerStorage) => ({ storage, throttlers: [{ limit: 100, ttl: 60_000 }] }),
        }),
      ],
      providers: [limits, AllowanceBook, LimitsThrottlerStorage],
      exports: [Limits, AllowanceBook, LimitsThrottlerStorage, ThrottlerModule],
    };
  }
}
