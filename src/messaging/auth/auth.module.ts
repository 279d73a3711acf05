import { Module } from '@nestjs/common';
import { ChatAccounts } from './account-product.js';
import { ApiTestController } from './api-test.controller.js';
import { AuthTeamsController } from './auth-teams.controller.js';
import { AuthTestController } from './auth-test.controller.js';
import { MeController } from './me.controller.js';

@Module({
  controllers: [AuthTestController, AuthTeamsController, ApiTestController, MeController],
  providers: [ChatAccounts],
})
export class ChatAuthModule {}
