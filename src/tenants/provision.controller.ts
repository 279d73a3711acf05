import { Controller, Inject, Post, Query, Req, UseGuards } from '@nestjs/common';
import { ApiBody, ApiQuery } from '@nestjs/swagger';
import { Clock } from '../kernel/clock/clock.js';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { RestBody } from '../kernel/http/rest-body.js';
import { KnownScopes } from '../messaging/apps/known-scopes.js';
import { AdminGuard, type AdminRequest } from './admin.guard.js';
import { ProvisionBody } from './provision.dto.js';
import { PROVISION_BODY } from './provision.schema.js';
import { readProvisionRequest } from './provision-request.js';
import { Provisioning } from './provisioning.js';

/** Whole workspaces in one call, for tests and staging (docs/reference/control-plane.md#provisioning). */
@Controller('admin')
@UseGuards(AdminGuard)
export class ProvisionController {
  constructor(
    private readonly provisioning: Provisioning,
    private readonly scopes: KnownScopes,
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  @Post('provision')
  @ApiBody({ schema: PROVISION_BODY as never })
  @ApiQuery({ name: 'strict', required: false, schema: { type: 'boolean' } })
  provision(
    @RestBody() body: ProvisionBody,
    @Req() request: AdminRequest & { readonly body: unknown },
    @Query('strict') strict?: string,
  ): Promise<object> {
    const read = readProvisionRequest(body, request.body, {
      strict: strict === 'true',
      surface: this.scopes.surface(this.settings.methods),
      nowMicros: this.clock.nowMicros(),
    });
    return this.provisioning.provision(read, request.admin?.name ?? null);
  }
}
