import { Module } from '@nestjs/common';
import { WorkspaceMembers } from './workspace-members.service.js';
import { WorkspacesController } from './workspaces.controller.js';
import { Workspaces } from './workspaces.service.js';

@Module({ controllers: [WorkspacesController], providers: [Workspaces, WorkspaceMembers] })
export class WorkspacesModule {}
