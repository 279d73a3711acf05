import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { RpcModule } from '../messaging/rpc/rpc.module.js';
import { AdminGuard } from './admin.guard.js';
import { DefaultCredentials } from './default-credentials.js';
import { FirstStart } from './first-start.js';
import { NewTenant } from './new-tenant.js';
import { ProvisionController } from './provision.controller.js';
import { Provisioning } from './provisioning.js';

/** First start, provisioning, deletion: beside boot, the only folder that names both products. */
@Module({
  imports: [AuthModule, RpcModule],
  controllers: [ProvisionController],
  providers: [AdminGuard, DefaultCredentials, FirstStart, NewTenant, Provisioning],
  exports: [FirstStart],
})
export class TenantsModule {}
