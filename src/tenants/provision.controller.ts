import { Controller, Post, UseGuards } from '@nestjs/common';
import { RestBody } from '../kernel/http/rest-body.js';
import { AdminGuard } from './admin.guard.js';
import { ProvisionBody } from './provision.dto.js';
import { Provisioning } from './provisioning.js';

/** Whole workspaces in one call, for tests and staging (messaging.md E.10). */
@Controller('admin')
@UseGuards(AdminGuard)
export class ProvisionController {
  constructor(private readonly provisioning: Provisioning) {}

  @Post('provision')
  provision(@RestBody() body: ProvisionBody): Promise<object> {
    return this.provisioning.provision(body);
  }
}
