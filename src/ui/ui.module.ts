import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { Browsers } from './browsers.js';
import { UiSessionController } from './session.controller.js';
import { UiBase } from './ui-base.js';
import { UiSessions } from './ui-sessions.js';

/** The server's side of the web UI; part of the application only in `full` mode. */
@Module({
  imports: [AuthModule],
  controllers: [UiSessionController],
  providers: [Browsers, UiBase, UiSessions],
  exports: [UiBase],
})
export class UiModule {}
