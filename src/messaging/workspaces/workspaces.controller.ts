import { Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { RestBody } from '../../kernel/http/rest-body.js';
import type { Identity } from '../access/identity.js';
import { PageOf, type Page } from '../rest/page.js';
import { Callers, RestCaller } from '../rest/rest-caller.js';
import { WorkspaceMembers } from './workspace-members.service.js';
import { MemberBody, WorkspaceBody, WorkspaceChanges } from './workspaces.dto.js';
import { Workspaces } from './workspaces.service.js';

/** docs/reference/control-plane.md#workspaces. */
@ApiTags('workspaces')
@Controller('workspaces')
export class WorkspacesController {
  constructor(
    private readonly workspaces: Workspaces,
    private readonly members: WorkspaceMembers,
  ) {}

  @Get()
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'The workspaces that the caller belongs to' })
  list(@RestCaller() caller: Identity, @PageOf() page: Page): Promise<object> {
    return this.workspaces.list(caller, page);
  }

  @Post()
  @Callers(['J', 'U'], { counts: true })
  @ApiOperation({ summary: 'Make a workspace, with the caller as its primary owner. 409 domain_taken' })
  create(@RestCaller() caller: Identity, @RestBody() body: WorkspaceBody): Promise<object> {
    return this.workspaces.create(caller, body);
  }

  @Post(':id/join')
  @HttpCode(200)
  @Callers(['J', 'U'], { counts: true })
  @ApiOperation({ summary: 'Join a workspace, and its #general' })
  join(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    return this.workspaces.join(caller, id);
  }

  @Post(':id/members')
  @Callers(['J', 'U'], { counts: true })
  @ApiOperation({ summary: 'Make an account for a person, as a member of the workspace: admins. 409 email_taken' })
  addMember(@RestCaller() caller: Identity, @Param('id') id: string, @RestBody() body: MemberBody): Promise<object> {
    return this.members.add(caller, id, body);
  }

  @Get(':id')
  @Callers(['J', 'B', 'U'])
  @ApiOperation({ summary: 'A workspace of the caller' })
  get(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    return this.workspaces.get(caller, id);
  }

  @Put(':id')
  @Callers(['J', 'U'])
  @ApiOperation({ summary: 'Change a workspace: its admins. 409 domain_taken' })
  change(@RestCaller() caller: Identity, @Param('id') id: string, @RestBody() body: WorkspaceChanges): Promise<object> {
    return this.workspaces.change(caller, id, body);
  }

  @Delete(':id')
  @Callers(['J', 'U'])
  @ApiOperation({ summary: 'Delete a workspace: its primary owner. 409 cant_delete_default_workspace' })
  async remove(@RestCaller() caller: Identity, @Param('id') id: string): Promise<object> {
    await this.workspaces.remove(caller, id);
    return { success: true };
  }
}
