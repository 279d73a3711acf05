import { Controller, Delete, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { CLOCK_SCHEMA } from '../sandboxes/sandboxes.schemas.js';
import { AdvanceClockBody, SetClockBody } from './clock.dto.js';
import { SandboxClocks } from './clock.service.js';

/** The clock of a sandbox (docs/reference/sandboxes.md#clock). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id/clock')
export class SandboxClockController {
  constructor(private readonly clocks: SandboxClocks) {}

  @Get()
  @ForSandbox()
  @ApiOperation({ operationId: 'getClock', summary: 'The time of the sandbox' })
  @ApiOkResponse({ schema: CLOCK_SCHEMA })
  get(@SandboxOf() call: SandboxCall): object {
    return this.clocks.show(call);
  }

  @Put()
  @ForSandbox()
  @ApiOperation({ operationId: 'setClock', summary: 'Set, freeze or release the clock. 409 clock_would_go_back' })
  @ApiBody({
    schema: {
      type: 'object',
      properties: {
        now: { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'number' }] },
        frozen: { type: 'boolean' },
        sign_with: { type: 'string', enum: ['wall', 'sandbox'] },
        tick_ms: { type: 'integer', minimum: 0, maximum: 86_400_000 },
      },
    },
  })
  @ApiOkResponse({ schema: CLOCK_SCHEMA })
  put(@SandboxOf() call: SandboxCall, @SandboxBody({ reports: 'all' }) body: SetClockBody): Promise<object> {
    return this.clocks.put(call, body);
  }

  @Post('advance')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({
    operationId: 'advanceClock',
    summary: 'Advance the clock; answers when what became due has happened',
  })
  @ApiBody({
    schema: {
      type: 'object',
      properties: {
        seconds: { type: 'number', exclusiveMinimum: true, minimum: 0 },
        by: { type: 'string', example: '1h30m' },
      },
    },
  })
  @ApiOkResponse({ schema: CLOCK_SCHEMA })
  advance(@SandboxOf() call: SandboxCall, @SandboxBody({ reports: 'first' }) body: AdvanceClockBody): Promise<object> {
    return this.clocks.advance(call, body);
  }

  @Delete()
  @ForSandbox()
  @ApiOperation({ operationId: 'resetClock', summary: 'Return to real time. 409 clock_would_go_back' })
  @ApiOkResponse({ schema: CLOCK_SCHEMA })
  reset(@SandboxOf() call: SandboxCall): Promise<object> {
    return this.clocks.reset(call);
  }
}
