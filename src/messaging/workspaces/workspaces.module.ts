import { Module } from '@nestjs/common';
import { WorkspaceRemoval } from './workspace-removal.js';
import { WorkspacesController } from './workspaces.controller.js';
import { Workspaces } from './workspaces.service.js';

@Module({ controllers: [WorkspacesController], providers: [Workspaces, WorkspaceRemoval] })
export class WorkspacesModule {}
