import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { ForSandbox, SandboxOf, type SandboxCall } from '../access/sandbox-access.js';
import { SandboxBody } from '../access/sandbox-body.js';
import { integer, listOf, objectOf, SUCCESS_SCHEMA } from '../access/schemas.js';
import { DeliveryRuleBody, FlushBody, ReleaseBody } from './deliveries.dto.js';
import { SandboxDeliveries } from './deliveries.service.js';
import {
  DELIVERIES_SCHEMA,
  describeQuery,
  FLUSH_BODY,
  FLUSHED_SCHEMA,
  RELEASE_BODY,
  RULE_BODY,
  RULE_SCHEMA,
} from './deliveries.schemas.js';
import { DeliveryRules } from './delivery-rules.js';

/** Control over deliveries, and the rules for them (docs/reference/sandboxes.md#deliveries). */
@ApiTags('sandboxes')
@Controller('sandboxes/:id')
export class SandboxDeliveriesController {
  constructor(
    private readonly deliveries: SandboxDeliveries,
    private readonly rules: DeliveryRules,
  ) {}

  @Get('deliveries')
  @ForSandbox()
  @ApiOperation({ operationId: 'listDeliveries', summary: 'Deliveries to apps, sent and waiting' })
  @describeQuery
  @ApiOkResponse({ schema: DELIVERIES_SCHEMA })
  list(@SandboxOf() { sandbox }: SandboxCall, @Query() query: Record<string, string>): Promise<object> {
    return this.deliveries.list(sandbox.tenantId, query);
  }

  @Post('deliveries/release')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({ operationId: 'releaseDeliveries', summary: 'Release held deliveries, in the requested order' })
  @ApiBody({ required: false, schema: RELEASE_BODY })
  @ApiOkResponse({ schema: objectOf({ released: integer }) })
  release(
    @SandboxOf() { sandbox }: SandboxCall,
    @SandboxBody({ reports: 'first' }) body: ReleaseBody,
  ): Promise<object> {
    return this.deliveries.release(sandbox.tenantId, body);
  }

  @Post('deliveries/flush')
  @HttpCode(200)
  @ForSandbox()
  @ApiOperation({ operationId: 'flushDeliveries', summary: 'Send waiting deliveries and retries now' })
  @ApiBody({ required: false, schema: FLUSH_BODY })
  @ApiOkResponse({ schema: FLUSHED_SCHEMA })
  flush(@SandboxOf() { sandbox }: SandboxCall, @SandboxBody({ reports: 'first' }) body: FlushBody): Promise<object> {
    return this.deliveries.flush(sandbox.tenantId, body);
  }

  @Post('deliveries/:delivery/redeliver')
  @HttpCode(202)
  @ForSandbox()
  @ApiOperation({
    operationId: 'redeliver',
    summary: 'Send a delivery again. 404 delivery_not_found, 409 not_redeliverable',
  })
  @ApiAcceptedResponse({ schema: SUCCESS_SCHEMA })
  async redeliver(@SandboxOf() { sandbox }: SandboxCall, @Param('delivery') id: string): Promise<object> {
    await this.deliveries.redeliver(sandbox.tenantId, id);
    return { success: true };
  }

  @Post('delivery-rules')
  @ForSandbox()
  @ApiOperation({ operationId: 'createDeliveryRule', summary: 'Hold, drop, delay, repeat … what is sent to apps' })
  @ApiBody({ schema: RULE_BODY })
  @ApiCreatedResponse({ schema: RULE_SCHEMA })
  create(
    @SandboxOf() { sandbox }: SandboxCall,
    @SandboxBody({ reports: 'first' }) body: DeliveryRuleBody,
  ): Promise<object> {
    return this.rules.create(sandbox.tenantId, body);
  }

  @Get('delivery-rules')
  @ForSandbox()
  @ApiOperation({ operationId: 'listDeliveryRules', summary: 'The rules with their counts' })
  @ApiOkResponse({ schema: objectOf({ delivery_rules: listOf(RULE_SCHEMA) }) })
  rulesOf(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    return this.rules.list(sandbox.tenantId);
  }

  @Delete('delivery-rules')
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteDeliveryRules', summary: 'Delete all rules' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async removeAll(@SandboxOf() { sandbox }: SandboxCall): Promise<object> {
    await this.rules.remove(sandbox.tenantId, null);
    return { success: true };
  }

  @Delete('delivery-rules/:rule')
  @ForSandbox()
  @ApiOperation({ operationId: 'deleteDeliveryRule', summary: 'Delete a rule. 404 delivery_rule_not_found' })
  @ApiOkResponse({ schema: SUCCESS_SCHEMA })
  async remove(@SandboxOf() { sandbox }: SandboxCall, @Param('rule') id: string): Promise<object> {
    await this.rules.remove(sandbox.tenantId, id);
    return { success: true };
  }
}
