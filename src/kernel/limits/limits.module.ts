import { type DynamicModule, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { Clock } from '../clock/clock.js';
import { Db } from '../database/db.js';
import { Limits } from './limits.js';
import { MemoryLimits } from './memory-limits.js';
import { StoreLimits } from './store-limits.js';
import { LimitsThrottlerStorage } from './throttler-storage.js';

/**
 * Gives `Limits` everywhere, and `@nestjs/throttler` set up over it: an edge brings only its guard, a
 * `TierThrottlerGuard`. Needs `Clock`, and on PostgreSQL `Db`, from a global module.
 */
@Module({})
export class LimitsModule {
  static forStore({ embedded }: { embedded: boolean }): DynamicModule {
    const limits = embedded
      ? { provide: Limits, useFactory: (clock: Clock) => new MemoryLimits(clock), inject: [Clock] }
      : { provide: Limits, useFactory: (db: Db, clock: Clock) => new StoreLimits(db, clock), inject: [Db, Clock] };
    return {
      module: LimitsModule,
      global: true,
      imports: [
        ThrottlerModule.forRootAsync({
          inject: [LimitsThrottlerStorage],
          // one unnamed throttler; guards that know their policy do not read its numbers
          useFactory: (storage: LimitsThrottlerStorage) => ({ storage, throttlers: [{ limit: 100, ttl: 60_000 }] }),
        }),
      ],
      providers: [limits, LimitsThrottlerStorage],
      exports: [Limits, LimitsThrottlerStorage, ThrottlerModule],
    };
  }
}
