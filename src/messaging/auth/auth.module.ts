import { Module } from '@nestjs/common';
import { ChatAccounts } from './account-product.js';
import { AuthTestController } from './auth-test.controller.js';
import { MeController } from './me.controller.js';

@Module({ controllers: [AuthTestController, MeController], providers: [ChatAccounts] })
export class ChatAuthModule {}
