import { Module } from '@nestjs/common';
import { SidebarController } from './sidebar.controller.js';

/** Part of the application where there is a web UI. */
@Module({ controllers: [SidebarController] })
export class SidebarModule {}
