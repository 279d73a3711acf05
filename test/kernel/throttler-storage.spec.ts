import {
  Controller,
  type ExecutionContext,
  Get,
  Global,
  HttpException,
  Injectable,
  Module,
  UseGuards,
} from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Throttle, ThrottlerGuard } from '@nestjs/throttler';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Clock } from '../../src/kernel/clock/clock.js';
import { LimitsModule } from '../../src/kernel/limits/limits.module.js';
import { Limits } from '../../src/kernel/limits/limits.js';
import { type Allowance, TierThrottlerGuard } from '../../src/kernel/limits/throttler-storage.js';
import { StillClock } from './limits-stores.js';

/** Like the guard of the chat API: key and policy from the call, and its own error. */
@Injectable()
class SpecGuard extends TierThrottlerGuard {
  protected allowance(context: ExecutionContext): Allowance | null {
    const { who } = context.switchToHttp().getRequest<{ query: { who?: string } }>().query;
    return who === undefined
      ? null
      : { key: `spec:${who}`, policy: { kind: 'bucket', capacity: 5, refillPerSecond: 1 } };
  }

  protected override throwThrottlingException(): Promise<never> {
    return Promise.reject(new HttpException({ ok: false, error: 'ratelimited' }, 429));
  }
}

@Controller()
class SpecController {
  @Get('stock')
  @UseGuards(ThrottlerGuard)
  @Throttle({ default: { limit: 2, ttl: 60_000 } })
  stock(): string {
    return 'through';
  }

  @Get('tier')
  @UseGuards(SpecGuard)
  tier(): string {
    return 'through';
  }
}

@Global()
@Module({ providers: [{ provide: Clock, useClass: StillClock }], exports: [Clock] })
class ClockModule {}

describe('@nestjs/throttler over Limits', () => {
  let app: NestFastifyApplication;
  let clock: Clock;
  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [ClockModule, LimitsModule.forStore({ embedded: true })],
      controllers: [SpecController],
    }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    await app.init();
    clock = app.get(Clock);
  });
  afterAll(() => app.close());

  const get = async (path: string) => {
    const { statusCode, headers, body } = await app.inject({ method: 'GET', url: path });
    return { statusCode, retryAfter: headers['retry-after'], remaining: headers['x-ratelimit-remaining'], body };
  };

  it('gives the standard guard a sliding window, with whole seconds until the oldest call leaves', async () => {
    expect(await get('/stock')).toMatchObject({ statusCode: 200, remaining: '1' });
    clock.advance(20_500);
    expect(await get('/stock')).toMatchObject({ statusCode: 200, remaining: '0' });
    expect(await get('/stock')).toMatchObject({ statusCode: 429, retryAfter: '40' });
    clock.advance(39_499);
    expect(await get('/stock')).toMatchObject({ statusCode: 429, retryAfter: '1' });
    clock.advance(1);
    expect(await get('/stock')).toMatchObject({ statusCode: 200, remaining: '0' });
    expect(await get('/stock')).toMatchObject({ statusCode: 429, retryAfter: '21' });
  });

  it('accepts key, policy and error of a custom guard', async () => {
    for (let i = 0; i < 5; i++)
      expect(await get('/tier?who=a')).toMatchObject({ statusCode: 200, retryAfter: undefined });
    const refused = await get('/tier?who=a');
    expect(refused).toMatchObject({ statusCode: 429, retryAfter: '1', body: '{"ok":false,"error":"ratelimited"}' });
    expect(await get('/tier?who=b')).toMatchObject({ statusCode: 200 });
    clock.advance(1_000);
    expect(await get('/tier?who=a')).toMatchObject({ statusCode: 200 });
    expect(await get('/tier?who=a')).toMatchObject({ statusCode: 429 });
  });

  it('does not count a call without a limit', async () => {
    for (let i = 0; i < 10; i++) expect(await get('/tier')).toMatchObject({ statusCode: 200 });
  });

  it('shares its counts with everything that injects Limits', async () => {
    const limits = app.get(Limits);
    await limits.take('spec:c', { kind: 'bucket', capacity: 5, refillPerSecond: 1 }, 5);
    expect(await get('/tier?who=c')).toMatchObject({ statusCode: 429 });
  });
});
